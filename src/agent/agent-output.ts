import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { AnswerSettings } from "../llm/answer-settings.ts";
import type { FinishReason, Message } from "../llm/language-model.ts";
import type { Budget } from "../model-calls/model-caller.ts";
import type { ToolAccountFields } from "../tools/tool-accounts.ts";
import type { ToolFailureRecord } from "../tools/tool-failure.ts";
import type { OutputSchema } from "./loop/structured-output.ts";
import type { Todo } from "./work-notes.ts";

/** Options set in code; they cannot be sent over HTTP. */
export type AgentRunOptions = {
  /** The shape of the answer: a zod schema, or a JSON Schema. */
  readonly responseFormat?: OutputSchema | undefined;
  readonly budget?: Budget;
  /** Settings of the caller, over those of the agent's model. @default none */
  readonly settings?: AnswerSettings;
};

/** An agent's output. `object` has the type of `responseFormat`, if there is one. */
export type AgentOutput<Output = unknown> = {
  readonly raw: string;
  readonly object?: Output;
  readonly agentRole: string;
  /**
   * Reason for the end of the answer: `length` if the caller's limit cut it. Absent from outputs of earlier versions.
   */
  readonly finishReason?: FinishReason;
  readonly usage: Usage;
  /**
   * Conversation behind the answer. Left out if longer than a million characters, and for plans, whose step results are
   * in `todos`.
   */
  readonly messages?: readonly Message[];
  readonly plan?: string;
  readonly todos?: readonly Todo[];
  readonly replanCount: number;
  readonly lastReplanReason?: string;
  /** Failures of tools, except those a policy ignores; absent without failures. */
  readonly toolFailures?: readonly ToolFailureRecord[];
} & ToolAccountFields;

/** An agent's output as the journal keeps it: its object not yet read by the schema. */
export type AgentRecord = Omit<AgentOutput, "object"> & { readonly object?: JsonValue };
