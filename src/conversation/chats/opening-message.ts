import type { JsonValue } from "../../base/json.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";

/**
 * Opening of a chat: a text, a message, parts, or a function that makes one, called once. Without an opening, a person
 * is asked.
 */
export type OpeningMessage =
  | JsonValue
  | ((about: {
      readonly sender: ConversationMember;
      readonly recipient: ConversationMember;
      /** Carryover of earlier chats. The function's message is used unchanged. */
      readonly carryover: readonly JsonValue[];
      /** The caller's message, if the chat is the exchange of a conversation: its content. */
      readonly message?: JsonValue;
    }) => JsonValue | Promise<JsonValue>);
