// One task of a run: from the context it is given to its output, as a durable step with its events.
//
//   PT1. A finished task replays as one row, and its callback is called once.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import type { AnswerReview } from "../agent/answer-review.ts";
import { executeAgent } from "../agent/execute-agent.ts";
import { humanReview } from "../agent/human-input.ts";
import { UsageMeter } from "../agent/model-call.ts";
import { mergePrompts, type Prompts } from "../agent/prompts.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import { outputShape, shapeRequest } from "../agent/structured-output.ts";
import { errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { toldFingerprint } from "../security/security-config.ts";
import { cut } from "../tools/call-tool.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import { failuresField, ToolFailureLog } from "../tools/tool-failure.ts";
import { agentHooks, StepHooks } from "./crew-hooks.ts";
import type { Tool } from "../tools/tool.ts";
import type { RunnableCrew } from "./run-crew.ts";
import { typedOutput, type TaskRecord } from "./task-output.ts";
import { taskPrompt } from "./task-prompt.ts";
import { guarded, taskResult, type TaskUnderWay } from "./task-result.ts";
import type { Task } from "./task.ts";

/** A task with the run's inputs in its texts. */
export type PreparedTask = {
  readonly task: Task;
  readonly key: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly model: LanguageModel;
};

/** Longer texts are kept whole in the journal and cut where events show them. */
export const MAX_EVENT_TEXT = 16_384;

/** Does the tasks of one run of a crew, and holds what they share: the tool cache and the rate limits. */
export class TaskPerformer {
  readonly #crew: RunnableCrew;
  readonly #cache: ToolCache | undefined;
  readonly #limiter: RateLimiter | undefined;
  readonly #ownLimiters = new Map<Agent, RateLimiter>();

  constructor(crew: RunnableCrew) {
    this.#crew = crew;
    this.#cache = crew.options.cache === true ? new ToolCache() : undefined;
    this.#limiter =
      crew.options.maxRpm === undefined ? undefined : new RateLimiter(crew.options.maxRpm);
  }

  /** Does a task at its key below `scope`. */
  perform(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, identity } = prepared;
    return scope.at(prepared.key).group("task", async (place) => {
      const named = { taskName: task.label, agentRole: identity.role };
      const inner = place.open("task_started", {
        ...named,
        context: cut(context, MAX_EVENT_TEXT),
        ...toldFingerprint(task),
      });
      try {
        const hooks = new StepHooks(inner, this.#crew, prepared);
        const given = await hooks.before(context);
        const output = await hooks.after(await this.#execute(inner, prepared, given));
        await this.#notify(inner, task, output);
        place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
        return output;
      } catch (error) {
        place.emit("task_failed", { ...named, error: errorMessage(error) });
        throw error;
      }
    });
  }

  async #execute(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, description, expectedOutput, agent, identity, model } = prepared;
    const { options } = this.#crew;
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const shape = task.output === undefined ? undefined : outputShape(task.output);
    const tools = task.effectiveTools;
    const meter = new UsageMeter();
    const failures = new ToolFailureLog();
    const course = new TaskCourse(
      agent.maxExecutionTime === undefined
        ? undefined
        : scope.now() + agent.maxExecutionTime * 1000,
    );
    const review = this.#review(prepared, prompts, course);
    const boundOtherwise =
      task.responseModel !== undefined &&
      tools.length === 0 &&
      shape !== undefined &&
      shapeRequest(model, shape.schema) !== undefined;
    const prompt = taskPrompt(prompts, {
      description,
      expectedOutput,
      context,
      markdown: task.markdown,
      schema: boundOtherwise ? undefined : shape?.schema,
    });
    const workOn = (text: string): AgentWork => ({
      agent,
      identity,
      model,
      prompts,
      prompt: text,
      taskName: task.label,
      hooks: agentHooks(scope, this.#crew, prepared),
      toolFailurePolicy:
        task.toolFailurePolicy ?? agent.toolFailurePolicy ?? options.toolFailurePolicy,
      failures,
      tools,
      answerSchema: shape?.schema,
      cache: agent.cache ? this.#cache : undefined,
      limiter: this.#limiterOf(agent),
      get deadlineAtMs() {
        return course.deadlineAtMs;
      },
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      stream: agent.stream ?? options.stream ?? false,
      meter,
      stepCallback: agent.stepCallback ?? options.stepCallback,
      security: {
        get agentFingerprint() {
          return agent.fingerprint;
        },
        get taskFingerprint() {
          return task.fingerprint;
        },
      },
      toolUses: course.toolUses,
      review,
    });
    const underWay: TaskUnderWay = {
      task,
      description,
      expectedOutput,
      context,
      work: workOn(prompt),
    };
    const attempt = async (place: RunScope, work: AgentWork): Promise<TaskRecord> => {
      course.approval = undefined;
      return taskResult(place, await executeAgent(place, work), underWay);
    };
    const first = await attempt(scope, underWay.work);
    const output =
      task.guardrails.length === 0
        ? first
        : await guarded(scope, first, {
            underWay,
            again: (place, refusal) => attempt(place, workOn(`${prompt}\n\n${refusal}`)),
          });
    return {
      ...output,
      ...(course.approval === undefined ? undefined : { humanFeedback: course.approval }),
      usage: meter.total,
      ...failuresField(failures.records),
    };
  }

  #review(
    { task, identity }: PreparedTask,
    prompts: Prompts,
    course: TaskCourse,
  ): AnswerReview | undefined {
    const { review = humanReview } = this.#crew;
    const settings = task.humanInput ?? (this.#crew.review === undefined ? undefined : {});
    if (settings === undefined) return undefined;
    return review({
      identity,
      taskName: task.label,
      prompts,
      settings,
      approved: (feedback) => (course.approval = feedback),
      waited:
        course.deadlineAtMs === undefined ? undefined : (durationMs) => course.extend(durationMs),
    });
  }

  async #notify(scope: RunScope, task: Task, output: TaskRecord): Promise<void> {
    const callback = task.callback ?? this.#crew.options.taskCallback;
    if (callback === undefined) return;
    await scope.at("callback").callOnce(async () => {
      await callback(typedOutput(output, task.output));
    });
  }

  #limiterOf(agent: Agent): RateLimiter | undefined {
    if (agent.maxRpm === undefined) return this.#limiter;
    let own = this.#ownLimiters.get(agent);
    if (own === undefined) this.#ownLimiters.set(agent, (own = new RateLimiter(agent.maxRpm)));
    return own;
  }
}

/** What all attempts at one task in one drive share. */
class TaskCourse {
  readonly toolUses = new Map<Tool, number>();
  /** What a person said along with their approval of the last answer. */
  approval: string | undefined;
  #deadlineAtMs: number | undefined;

  constructor(deadlineAtMs: number | undefined) {
    this.#deadlineAtMs = deadlineAtMs;
  }

  get deadlineAtMs(): number | undefined {
    return this.#deadlineAtMs;
  }

  /** Time that does not count. */
  extend(durationMs: number): void {
    if (this.#deadlineAtMs !== undefined) this.#deadlineAtMs += durationMs;
  }
}
