// One task of a run: from the context it is given to its output, as a durable step with its events.
//
//   PT1. A finished task replays as one row, and its callback is called once.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import { executeAgent } from "../agent/execute-agent.ts";
import { UsageMeter } from "../agent/model-call.ts";
import { mergePrompts } from "../agent/prompts.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import { conversionWork } from "../agent/run-agent.ts";
import { outputShape, toStructured } from "../agent/structured-output.ts";
import { errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { cut } from "../tools/call-tool.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import type { RunnableCrew } from "./run-crew.ts";
import { summaryOf, typedOutput, type TaskRecord } from "./task-output.ts";
import { taskPrompt } from "./task-prompt.ts";
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
      const inner = place.open("task_started", { ...named, context: cut(context, MAX_EVENT_TEXT) });
      try {
        const output = await this.#execute(inner, prepared, context);
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
    const meter = new UsageMeter();
    const work: AgentWork = {
      agent,
      identity,
      model,
      prompts,
      prompt: taskPrompt(prompts, {
        description,
        expectedOutput,
        context,
        markdown: task.markdown,
        schema: shape?.schema,
      }),
      taskName: task.label,
      expectedOutput,
      crewSkills: options.skills,
      tools: task.effectiveTools,
      answerSchema: shape?.schema,
      cache: agent.cache ? this.#cache : undefined,
      limiter: this.#limiterOf(agent),
      deadlineAtMs:
        agent.maxExecutionTime === undefined
          ? undefined
          : scope.now() + agent.maxExecutionTime * 1000,
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      stream: agent.stream ?? options.stream ?? false,
      meter,
      stepCallback: agent.stepCallback ?? options.stepCallback,
    };
    const answer = await executeAgent(scope, work);
    const structured =
      shape === undefined
        ? undefined
        : await toStructured(scope, answer, { shape, work: conversionWork(scope, work) });
    return {
      name: task.label,
      description,
      expectedOutput,
      summary: summaryOf(description),
      agent: identity.role,
      raw: answer,
      outputFormat: structured === undefined ? "raw" : "json",
      ...(structured === undefined ? undefined : { object: structured }),
      usage: meter.total,
    };
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
