import type { JsonObject } from "../../base/json.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ChatCost } from "./chat-cost.ts";
import type { HostedTalk } from "./group-host.ts";

/** Result of a chat. */
export type ChatResult = {
  /** Messages in the initiator's view. */
  readonly chatHistory: readonly ConversationMessage[];
  readonly summary: string;
  readonly cost: ChatCost;
  /** Inputs of people in place of agents, oldest first: the initiator's, then the recipient's. */
  readonly humanInput: readonly string[];
  /** Reason for the end. */
  readonly reason: string;
  /** Author of the last message; null without messages. */
  readonly lastSpeaker: string | null;
  /** The initiator's context variables at the end. */
  readonly contextVariables: JsonObject;
  /** Messages of the group, if the recipient is a manager. */
  readonly group?: Omit<HostedTalk, "reason">;
};
