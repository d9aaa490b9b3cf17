import type { JsonObject } from "../base/json.ts";
import type { Tool, ToolSecurity } from "../tools/tool.ts";
import type { ToolCache } from "../tools/tool-cache.ts";
import type { ToolFailureLog, ToolFailurePolicy } from "../tools/tool-failure.ts";
import type { Agent } from "./agent.ts";
import type { AnswerReview } from "./answer-review.ts";
import type { ModelCaller } from "./model-call.ts";
import type { Prompts } from "./prompts.ts";
import type { StepCallback } from "./step-callback.ts";
import type { WorkTally } from "./work-tally.ts";

/** Who an agent is in one run: its texts with the run's inputs filled in. */
export type AgentIdentity = {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
};

/** One piece of work for an agent, with everything it needs. */
export type AgentWork = ModelCaller & {
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly prompts: Prompts;
  /** The user's side of the prompt. */
  readonly prompt: string;
  readonly taskName?: string;
  readonly tools: readonly Tool[];
  /** JSON Schema of the answer, where one is asked for. */
  readonly answerSchema?: JsonObject | undefined;
  /** The task's, else the agent's, else the crew's. @default "warn" */
  readonly toolFailurePolicy?: ToolFailurePolicy | undefined;
  /** Takes down what tools failed at. */
  readonly failures?: ToolFailureLog | undefined;
  /** Who asks, as tools are told. */
  readonly security?: ToolSecurity | undefined;
  readonly cache?: ToolCache | undefined;
  readonly stream: boolean;
  readonly stepCallback?: StepCallback | undefined;
  /** Uses of tools so far, where several pieces of work count as one. */
  readonly toolUses?: Map<Tool, number>;
  readonly review?: AnswerReview | undefined;
  readonly tally?: WorkTally;
};
