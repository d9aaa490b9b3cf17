// Injections for tools of conversations, beside their input.
//
//   CJN1. Each execution of a call has its own copy of the variables. Its changes are part of its recorded result; a
//         failed call changes nothing.
import { EngineError } from "../../base/error.ts";
import type { Injection } from "../../tools/injection.ts";
import type { ToolChat } from "../../tools/tool-chat.ts";
import type { ToolContext } from "../../tools/tool-context.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";

/** The executing agent's view of its conversations. */
export type ChatContext = ToolChat & {
  /** Messages with each peer, by the peer's name. */
  readonly chatMessages: Readonly<Record<string, readonly ConversationMessage[]>>;
};

declare module "../../tools/tool-chat.ts" {
  interface ToolChat {
    /** Messages so far at the place of the call, oldest first. */
    readonly messages: readonly ConversationMessage[];
    /** The last message, which made the call. */
    readonly lastMessage: ConversationMessage | undefined;
  }
}

/** Conversation data for one execution of a call. */
export type CallConversation = {
  readonly chat: ChatContext;
  readonly variables: ContextVariables;
};

const conversations = new WeakMap<ToolContext, CallConversation>();

/** Returns the context of a call within a conversation. */
export function contextWithin(context: ToolContext, conversation: CallConversation): ToolContext {
  const own = { ...context, chat: conversation.chat };
  conversations.set(own, conversation);
  return own;
}

/** Injects the executing agent's view of its conversations. Outside of a conversation the call fails. */
export function chatContext(): Injection<ChatContext> {
  return { valueFor: (context) => conversationOf(context, "chatContext()").chat };
}

/** Injects the variables of the conversation, for reading and changing. Outside of a conversation the call fails. */
export function contextVariables(): Injection<ContextVariables> {
  return { valueFor: (context) => conversationOf(context, "contextVariables()").variables };
}

function conversationOf(context: ToolContext, injection: string): CallConversation {
  const conversation = conversations.get(context);
  if (conversation !== undefined) return conversation;
  throw new EngineError(
    "conflict",
    `${injection} needs a conversation, and ${context.agentRole} called the tool outside of one`,
  );
}
