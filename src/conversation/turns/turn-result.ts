import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { TurnReport } from "../chats/member-sources.ts";
import type { ContextChange } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { TurnGuardrail } from "../safeguards/guardrails.ts";
import type { TransitionTarget } from "../targets/targets.ts";

/** Result of an agent's turn. */
export type TurnResult = {
  /** Its message; absent without a reply, which ends the chat. */
  readonly reply?: ConversationMessage;
  /** Reason for the missing reply. */
  readonly ended?: string;
  /** Target of its hand-over. */
  readonly target?: TransitionTarget;
  /** The guardrail that decided the turn. */
  readonly guardrail?: TurnGuardrail;
  /** Number of replies in a row without a person's input, including this one. */
  readonly counter: number;
  /** A person's input in its place. */
  readonly humanInput?: string;
  /** The received text as changed by its hooks; the agent also sees that text in its later turns. */
  readonly receivedText?: string;
  /** Changes by its reply functions and tools to the context variables, oldest first. */
  readonly changes: readonly ContextChange[];
  /** State of its capabilities for later turns with the same peer, by key. */
  readonly kept?: JsonObject;
  /** Its hand-over tool, for an agent that executes such calls itself. */
  readonly transfer?: string;
  /** Report of its answer, for an agent with a memory. */
  readonly report?: TurnReport;
  /** Usage by agent: its own, and that of chats before its answer. */
  readonly usage: Readonly<Record<string, Usage>>;
};
