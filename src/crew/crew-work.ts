// Builds the pieces of work of a crew's run. They share the tool cache and the rate limits.
import { changedWork, type AgentWork } from "../agent/agent-work.ts";
import type { AgentSources } from "../agent/description/agent-sources.ts";
import type { Agent } from "../agent/description/agent.ts";
import { RateLimiter } from "../model-calls/rate-limiter.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ToolSecurity } from "../security/security-config.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import { callerInstructions } from "../model-calls/caller-instructions.ts";
import { callerStreams } from "../model-calls/caller-stream.ts";
import { fileTextsOf } from "../agent/prompts/prompts.ts";
import type { ModelCaller } from "../model-calls/model-caller.ts";
import { UsageMeter } from "../model-calls/usage-meter.ts";
import { agentHooks } from "./crew-hooks.ts";
import type { PreparedAgent } from "./prepared-agent.ts";
import type { RunnableCrew } from "./runnable-crew.ts";
import { withLessonsText } from "./tasks/task-prompt.ts";
import type { Task } from "./tasks/task.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Variable parts of a piece of work. The rest comes from the agent, the task and the crew. */
export type WorkRequest = Pick<
  AgentWork,
  | "prompts"
  | "prompt"
  | "attachments"
  | "tools"
  | "expectedOutput"
  | "answerSchema"
  | "review"
  | "mail"
> & {
  readonly worker: PreparedAgent;
  /** Task of the work. */
  readonly task?: Task;
  readonly workBudget: WorkBudget;
  /** A plan of the crew is no step for callbacks. @default false */
  readonly isPlanner?: boolean;
};

/** Builds the pieces of work of one run, within the crew's limits. */
export class CrewWork {
  readonly crew: RunnableCrew;
  /** Memory and knowledge of the agents; undefined without either. */
  readonly sources: AgentSources | undefined;
  readonly #cache: ToolCache | undefined;
  readonly #limiter: RateLimiter | undefined;
  readonly #ownLimiters = new Map<Agent, RateLimiter>();

  constructor(crew: RunnableCrew, sources?: AgentSources) {
    this.crew = crew;
    this.sources = sources;
    this.#cache = crew.options.cache === true ? new ToolCache() : undefined;
    this.#limiter =
      crew.options.maxRpm === undefined ? undefined : new RateLimiter(crew.options.maxRpm);
  }

  /** A piece of work for an agent of this crew. */
  of(scope: RunScope, request: WorkRequest): AgentWork {
    const { options } = this.crew;
    const { worker, task, workBudget, isPlanner = false } = request;
    const { agent, identity, model } = worker;
    const taskName = task?.label;
    return {
      agent,
      identity,
      taskName,
      prompts: request.prompts,
      prompt: request.prompt,
      attachments: request.attachments,
      fileTexts: fileTextsOf(request.prompts),
      history: callerInstructions(scope.services),
      expectedOutput: request.expectedOutput,
      answerSchema: request.answerSchema,
      review: request.review,
      mail: isPlanner ? "none" : request.mail,
      tools: request.tools,
      cache: agent.cache ? this.#cache : undefined,
      toolFailurePolicy:
        task?.toolFailurePolicy ?? agent.toolFailurePolicy ?? options.toolFailurePolicy,
      security: securityOf(agent, task),
      crewSkills: options.skills,
      model,
      conversionLlm: agent.functionCallingLlm ?? options.functionCallingLlm,
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      limiter: this.#limiterOf(agent),
      hooks: agentHooks(scope, this.crew, { ...worker, taskName }),
      stream: agent.stream ?? options.stream ?? callerStreams(scope.services),
      stepCallback: isPlanner ? undefined : (agent.stepCallback ?? options.stepCallback),
      meter: workBudget.meter,
      counters: workBudget.counters,
      failures: workBudget.failures,
      toolUses: workBudget.toolUses,
      get deadlineAtMs() {
        return workBudget.deadlineAtMs;
      },
    };
  }

  /** Like `of`, with the agent's lessons and the results of its sources for `query` in the prompt. */
  async informed(scope: RunScope, request: WorkRequest, query: string): Promise<AgentWork> {
    const work = this.of(scope, request);
    const { task } = request;
    const informed = (await this.sources?.informed(scope, work, { query, task })) ?? work;
    const lessons = this.crew.lessons?.textFor(work.agent, work.prompts);
    return lessons === undefined
      ? informed
      : changedWork(informed, { prompt: withLessonsText(informed.prompt, lessons) });
  }

  /** The caller of models after a piece of work has ended. */
  callerFor(scope: RunScope, who: PreparedAgent): ModelCaller & { readonly agent: Agent } {
    const { maxCostUsd, maxTokens } = this.crew.options;
    return {
      agent: who.agent,
      model: who.model,
      budget: { maxCostUsd, maxTokens },
      limiter: this.#limiterOf(who.agent),
      hooks: agentHooks(scope, this.crew, who),
      meter: new UsageMeter(),
    };
  }

  #limiterOf(agent: Agent): RateLimiter | undefined {
    if (agent.maxRpm === undefined) return this.#limiter;
    let own = this.#ownLimiters.get(agent);
    if (own === undefined) this.#ownLimiters.set(agent, (own = new RateLimiter(agent.maxRpm)));
    return own;
  }
}

/** Fingerprints are computed when they are first read. */
function securityOf(agent: Agent, task: Task | undefined): ToolSecurity {
  if (task === undefined) {
    return {
      get agentFingerprint() {
        return agent.fingerprint;
      },
    };
  }
  return {
    get agentFingerprint() {
      return agent.fingerprint;
    },
    get taskFingerprint() {
      return task.fingerprint;
    },
  };
}
