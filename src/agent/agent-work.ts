import type { JsonObject } from "../base/json.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolCache } from "../tools/tool-cache.ts";
import type { Agent } from "./agent.ts";
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
  readonly cache?: ToolCache | undefined;
  readonly stream: boolean;
  readonly stepCallback?: StepCallback | undefined;
  readonly tally?: WorkTally;
};
