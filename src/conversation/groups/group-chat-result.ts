import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { ConversationMessage } from "../messages.ts";
import type { RecordedTarget } from "../targets/recorded-target.ts";

/** Result of a group conversation. */
export type GroupChatResult = {
  readonly summary: string;
  /** Messages with the names of their authors. A user outside of the agents is "user". */
  readonly messages: readonly ConversationMessage[];
  readonly lastSpeaker: string;
  readonly contextVariables: JsonObject;
  /** Number of messages, without the earlier ones. */
  readonly rounds: number;
  readonly usage: Usage;
  readonly usageByAgent: Readonly<Record<string, Usage>>;
  /** Reason for the end. */
  readonly reason: string;
  /** Inputs of people in place of agents, oldest first, agent by agent. */
  readonly humanInput: readonly string[];
  /** Next target at the end of the conversation. */
  readonly pending?: RecordedTarget;
};
