// One task of a run: from the context it is given to its output, as a durable step with its events.
//
//   PT1. A finished task replays as one row, and its callback is called once.
//   PT2. A conditional task that is skipped is one row with an empty output: no events, no callback.
//   PT3. Delegated work shares the budget, the cache and the time limit of the task; its usage counts for the task.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import { executeAgent } from "../agent/execute-agent.ts";
import { UsageMeter } from "../agent/model-call.ts";
import { fill, mergePrompts } from "../agent/prompts.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import { WorkTally } from "../agent/work-tally.ts";
import { outputShape, toStructured } from "../agent/structured-output.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import { NO_USAGE } from "../base/usage.ts";
import { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { cut } from "../tools/call-tool.ts";
import { readFileTool } from "../tools/builtin/read-file.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import { ToolReport } from "../tools/tool-report.ts";
import type { Tool } from "../tools/tool.ts";
import { ConditionalTask } from "./conditional-task.ts";
import { writeText } from "./crew-files.ts";
import {
  delegationTools,
  MAX_DELEGATION_DEPTH,
  mergeTools,
  type Assignment,
} from "./delegation.ts";
import type { RunnableCrew } from "./prepare-crew.ts";
import { taskBrief, type TaskExtras } from "./task-brief.ts";
import { summaryOf, typedOutput, type TaskOutput, type TaskRecord } from "./task-output.ts";
import { taskPrompt } from "./task-prompt.ts";
import type { Task } from "./task.ts";

/** An agent with the run's inputs in its texts, and its model. */
export type PreparedAgent = {
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly model: LanguageModel;
};

/** A task with the run's inputs in its texts. */
export type PreparedTask = PreparedAgent & {
  readonly task: Task;
  readonly key: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly outputFile: string | undefined;
  /** Whom its agent may give work to. */
  readonly coworkers: readonly PreparedAgent[];
  readonly extras: TaskExtras;
};

/** What a task begins with. */
export type TaskStart = {
  readonly context: string;
  /** The output right before it in the crew's order. */
  readonly previous: TaskOutput | undefined;
};

/** One piece of work, as `workOf` makes it up. */
type WorkOptions = Pick<AgentWork, "prompt" | "prompts" | "tools" | "answerSchema" | "taskName"> & {
  /** When whoever gave the work has to be done. */
  readonly deadlineAtMs?: number | undefined;
};

/** Longer texts are kept whole in the journal and cut where events show them. */
export const MAX_EVENT_TEXT = 16_384;

/** Does the tasks of one run of a crew, and holds what they share: the tool cache and the rate limits. */
export class TaskPerformer {
  readonly #crew: RunnableCrew;
  readonly #agents: readonly PreparedAgent[];
  readonly #cache: ToolCache | undefined;
  readonly #limiter: RateLimiter | undefined;
  readonly #ownLimiters = new Map<Agent, RateLimiter>();

  /** `agents`: all that work can be delegated to. */
  constructor(crew: RunnableCrew, agents: readonly PreparedAgent[]) {
    this.#crew = crew;
    this.#agents = agents;
    this.#cache = crew.options.cache === true ? new ToolCache() : undefined;
    this.#limiter =
      crew.options.maxRpm === undefined ? undefined : new RateLimiter(crew.options.maxRpm);
  }

  /** Does a task at its key below `scope`, unless its condition is against it. */
  perform(
    scope: RunScope,
    prepared: PreparedTask,
    { context, previous }: TaskStart,
  ): Promise<TaskRecord> {
    const { task, identity } = prepared;
    return scope.at(prepared.key).group("task", async (place) => {
      if (task instanceof ConditionalTask && previous !== undefined) {
        const wanted = place.at("condition").callOnce(async () => task.condition(previous));
        if (!(await wanted)) return { ...blankOutput(prepared), skipped: true };
      }
      const named = { taskName: task.label, agentRole: identity.role };
      const inner = place.open("task_started", { ...named, context: cut(context, MAX_EVENT_TEXT) });
      try {
        const output = await this.#execute(inner, prepared, context);
        await this.#notify(inner, task, output);
        await writeOutput(inner, prepared, output);
        place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
        return output;
      } catch (error) {
        place.emit("task_failed", { ...named, error: errorMessage(error) });
        throw error;
      }
    });
  }

  async #execute(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, description, expectedOutput, agent, identity } = prepared;
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const shape = task.output === undefined ? undefined : outputShape(task.output);
    const tally = new WorkTally();
    const base = this.workOf(scope, prepared, {
      prompts,
      prompt: taskPrompt(prompts, {
        description: taskBrief(prompts, description, prepared.extras),
        expectedOutput,
        context,
        markdown: task.markdown,
        schema: shape?.schema,
      }),
      taskName: task.label,
      tools: this.#toolsOf(prepared),
      answerSchema: shape?.schema,
    });
    const work = { ...this.#delegating(base, prepared.coworkers, 1), tally };
    const answer = await executeAgent(scope, work);
    const structured =
      shape === undefined ? undefined : await toStructured(scope, answer, { shape, work });
    return {
      ...blankOutput(prepared),
      raw: answer,
      outputFormat: structured === undefined ? "raw" : "json",
      ...(structured === undefined ? undefined : { object: structured }),
      usage: work.meter.total,
      processedByAgents: [...new Set([identity.role, ...tally.delegatedTo])],
      delegations: tally.delegatedTo.length,
      usedTools: tally.usedTools,
      toolsErrors: tally.toolsErrors,
    };
  }

  /** A piece of work for an agent of this crew, within the crew's limits. */
  workOf(scope: RunScope, { agent, identity, model }: PreparedAgent, what: WorkOptions): AgentWork {
    const { options } = this.#crew;
    const ownDeadlineAtMs =
      agent.maxExecutionTime === undefined
        ? undefined
        : scope.now() + agent.maxExecutionTime * 1000;
    return {
      ...what,
      agent,
      identity,
      model,
      cache: agent.cache ? this.#cache : undefined,
      limiter: this.#limiterOf(agent),
      deadlineAtMs: earlier(ownDeadlineAtMs, what.deadlineAtMs),
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      stream: agent.stream ?? options.stream ?? false,
      meter: new UsageMeter(),
      stepCallback: agent.stepCallback ?? options.stepCallback,
    };
  }

  /** The tools for a task, beside those to delegate with. A manager has those that the task itself names. */
  #toolsOf({ task, extras }: PreparedTask): readonly Tool[] {
    const named = this.#crew.manager === undefined ? task.effectiveTools : (task.tools ?? []);
    return Object.keys(extras.files).length === 0
      ? named
      : mergeTools(named, [readFileTool(extras.files)]);
  }

  /** `work` with the tools to hand parts of it on to these coworkers, unless it has come too deep for that. */
  #delegating(work: AgentWork, coworkers: readonly PreparedAgent[], depth: number): AgentWork {
    if (coworkers.length === 0 || depth > MAX_DELEGATION_DEPTH) return work;
    const tools = delegationTools({
      roles: coworkers.map(({ identity }) => identity.role),
      prompts: work.prompts,
      carryOut: (assignment) => this.#carryOut(work, { ...assignment, coworkers, depth }),
    });
    return { ...work, tools: mergeTools(work.tools, tools) };
  }

  /** Has a coworker do a part of `outer`, as steps below the tool call that asked for it. */
  async #carryOut(
    outer: AgentWork,
    given: Assignment & { readonly coworkers: readonly PreparedAgent[]; readonly depth: number },
  ): Promise<ToolReport> {
    const scope = RunScope.current();
    const coworker = given.coworkers[given.coworker];
    if (scope === undefined || coworker === undefined)
      throw new EngineError("internal", "work was delegated outside of a run, or to nobody");
    const { agent, identity } = coworker;
    const place = scope.at(`agent:${keySegment(identity.role)}`);
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const tally = new WorkTally();
    const base = this.workOf(place, coworker, {
      prompts,
      prompt: taskPrompt(prompts, {
        description: given.work,
        expectedOutput: prompts.slices.managerRequest,
        context: given.context,
        markdown: false,
        schema: undefined,
      }),
      ...(outer.taskName === undefined ? undefined : { taskName: outer.taskName }),
      tools: agent.tools,
      deadlineAtMs: outer.deadlineAtMs,
    });
    const work = {
      ...this.#delegating(base, this.#coworkersOf(agent), given.depth + 1),
      tally,
    };
    const text = await executeAgent(place, work).catch((error: unknown) =>
      fill(outer.prompts.errors.agentToolExecutionError, {
        agent_role: identity.role,
        error: errorMessage(error),
      }),
    );
    return new ToolReport(text, {
      usage: work.meter.total,
      delegatedTo: [identity.role, ...tally.delegatedTo],
    });
  }

  #coworkersOf(agent: Agent): readonly PreparedAgent[] {
    return agent.allowDelegation ? this.#agents.filter((other) => other.agent !== agent) : [];
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

/** What every output of a task says, also that of one that was skipped. */
function blankOutput({ task, description, expectedOutput, identity }: PreparedTask): TaskRecord {
  return {
    name: task.label,
    description,
    expectedOutput,
    summary: summaryOf(description),
    agent: identity.role,
    raw: "",
    outputFormat: "raw",
    usage: NO_USAGE,
    processedByAgents: [],
    delegations: 0,
    usedTools: 0,
    toolsErrors: 0,
  };
}

async function writeOutput(
  scope: RunScope,
  { task, outputFile }: PreparedTask,
  { raw, object }: TaskRecord,
): Promise<void> {
  if (outputFile === undefined) return;
  await writeText(scope.at("output-file"), {
    path: outputFile,
    what: `task "${task.label}" has the outputFile "${outputFile}"`,
    text: object === undefined ? raw : JSON.stringify(object, null, 2),
  });
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
