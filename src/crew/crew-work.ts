// The pieces of work that a run of a crew is made of, and what they share: the tool cache and the rate limits.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { AgentSources } from "../agent/agent-sources.ts";
import type { Agent } from "../agent/agent.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ToolSecurity } from "../security/security-config.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import { UsageMeter, type ModelCaller } from "../agent/model-call.ts";
import { agentHooks } from "./crew-hooks.ts";
import type { RunnableCrew } from "./prepare-crew.ts";
import type { Task } from "./task.ts";
import type { WorkBudget } from "./work-budget.ts";

/** An agent with the run's inputs in its texts, and its model. */
export type PreparedAgent = {
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly model: LanguageModel;
};

/** One piece of work. */
export type WorkOptions = Pick<
  AgentWork,
  "prompt" | "prompts" | "tools" | "expectedOutput" | "answerSchema" | "review"
> & {
  /** What it is done for. */
  readonly task?: Task;
  readonly workBudget: WorkBudget;
};

/** Makes up the work of one run, within the crew's limits. */
export class CrewWork {
  readonly crew: RunnableCrew;
  /** What its agents know beside their tasks; undefined where that is nothing. */
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
  of(scope: RunScope, who: PreparedAgent, what: WorkOptions): AgentWork {
    const { options } = this.crew;
    const { agent, identity, model } = who;
    const { workBudget, task, ...order } = what;
    const { meter, tally, failures, toolUses } = workBudget;
    const named = task === undefined ? undefined : { taskName: task.label };
    return {
      ...order,
      agent,
      identity,
      model,
      ...named,
      hooks: agentHooks(scope, this.crew, { ...who, ...named }),
      security: securityOf(agent, task),
      toolFailurePolicy:
        task?.toolFailurePolicy ?? agent.toolFailurePolicy ?? options.toolFailurePolicy,
      crewSkills: options.skills,
      cache: agent.cache ? this.#cache : undefined,
      limiter: this.#limiterOf(agent),
      get deadlineAtMs() {
        return workBudget.deadlineAtMs;
      },
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      stream: agent.stream ?? options.stream ?? false,
      stepCallback: agent.stepCallback ?? options.stepCallback,
      meter,
      tally,
      failures,
      toolUses,
    };
  }

  /** On whose behalf models are asked after a piece of work has ended. */
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

/** Fingerprints are made when they are asked for. */
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
