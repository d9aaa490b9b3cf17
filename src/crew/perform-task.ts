// One task of a run: from the context it is given to its output, as a durable step with its events.
//
//   PT1. A finished task replays as one row, and its callback is called once.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import type { AnswerReview } from "../agent/answer-review.ts";
import { executeAgent } from "../agent/execute-agent.ts";
import { humanReview, trainingReview, type TrainedAnswer } from "../agent/human-input.ts";
import { UsageMeter } from "../agent/model-call.ts";
import { mergePrompts, type Prompts } from "../agent/prompts.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import { outputShape, shapeRequest } from "../agent/structured-output.ts";
import { errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { cut } from "../tools/call-tool.ts";
import { ToolCache } from "../tools/tool-cache.ts";
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
  async perform(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, identity, agent, key } = prepared;
    const { exercise } = this.#crew;
    const done = await scope.at(key).group("task", async (place) => {
      const elapsed = exercise?.kind === "test" ? stopwatch(place) : undefined;
      const named = { taskName: task.label, agentRole: identity.role };
      const inner = place.open("task_started", { ...named, context: cut(context, MAX_EVENT_TEXT) });
      try {
        const output = await this.#execute(inner, prepared, context);
        await this.#notify(inner, task, output);
        place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
        return elapsed === undefined ? output : { ...output, durationMs: elapsed() };
      } catch (error) {
        place.emit("task_failed", { ...named, error: errorMessage(error) });
        throw error;
      }
    });
    exercise?.note({ agent, key, output: done });
    return done;
  }

  async #execute(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, description, expectedOutput, agent, identity, model } = prepared;
    const { options } = this.#crew;
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const shape = task.output === undefined ? undefined : outputShape(task.output);
    const tools = task.effectiveTools;
    const meter = new UsageMeter();
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
      lessons: this.#crew.lessons?.textFor(agent, prompts),
    });
    const workOn = (text: string): AgentWork => ({
      agent,
      identity,
      model,
      prompts,
      prompt: text,
      taskName: task.label,
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
      ...(course.trained === undefined ? undefined : { trained: course.trained }),
      usage: meter.total,
    };
  }

  #review(
    { task, identity }: PreparedTask,
    prompts: Prompts,
    course: TaskCourse,
  ): AnswerReview | undefined {
    const isTraining = this.#crew.exercise?.kind === "training";
    const settings = task.humanInput ?? (isTraining ? {} : undefined);
    if (settings === undefined) return undefined;
    const review = {
      identity,
      taskName: task.label,
      prompts,
      settings,
      approved: (feedback: string) => (course.approval = feedback),
      waited:
        course.deadlineAtMs === undefined
          ? undefined
          : (durationMs: number) => course.extend(durationMs),
    };
    return isTraining
      ? trainingReview(review, (trained) => (course.trained = trained))
      : humanReview(review);
  }

  async #notify(scope: RunScope, task: Task, output: TaskRecord): Promise<void> {
    const callback = task.callback ?? this.#crew.options.taskCallback;
    if (callback === undefined || this.#crew.exercise?.kind === "test") return;
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
  /** What training keeps of the last answer. */
  trained: TrainedAnswer | undefined;
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

/** Answers how long it is since this call, in milliseconds: readings of the run's own. */
function stopwatch(place: RunScope): () => number {
  const startedAtMs = place.at("started").now();
  return () => place.at("ended").now() - startedAtMs;
}
