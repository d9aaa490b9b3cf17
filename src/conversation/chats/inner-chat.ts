import type { ConversationMember } from "../agents/conversation-member.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { NestedChat } from "../nested-chats.ts";
import type { QueuedChat } from "./queued-chat.ts";

/** A chat of an agent before its answer. */
export type InnerChat = Omit<QueuedChat, "message"> &
  Pick<NestedChat, "carryoverConfig"> & {
    /**
     * A text, or a function that makes one; an empty text leaves the chat out. @default for the first chat: the last
     * message
     */
    readonly message?:
      | string
      | ((about: {
          readonly agent: ConversationMember;
          readonly sender: ConversationMember;
          readonly messages: readonly ConversationMessage[];
          /** A copy of the agent's current variables. */
          readonly contextVariables: ContextVariables;
        }) => string | undefined | Promise<string | undefined>);
  };
