// What tools of conversations can be given beside their input.
//
//   CJN1. Each execution of a call has its own copy of the variables. What it did to them is part of its recorded result; a call
//         that fails has changed nothing.
import { EngineError } from "../../base/error.ts";
import type { Injection } from "../../tools/injection.ts";
import type { ToolChat } from "../../tools/tool-chat.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";

/** What the agent that executes a call knows of its conversations. */
export type ChatContext = ToolChat & {
  /** What was said with each peer, by the peer's name. */
  readonly chatMessages: Readonly<Record<string, readonly ConversationMessage[]>>;
};

declare module "../../tools/tool-chat.ts" {
  interface ToolChat {
    /** What was said so far where the call was made, oldest first. */
    readonly messages: readonly ConversationMessage[];
    /** What was said last: the message that made the call. */
    readonly lastMessage: ConversationMessage | undefined;
  }
}

/** What one execution of a call is given. */
export type CallConversation = {
  readonly chat: ChatContext;
  readonly variables: ContextVariables;
};

const conversations = new WeakMap<ToolContext, CallConversation>();

/** The context of a call, made within a conversation. */
export function contextWithin(context: ToolContext, conversation: CallConversation): ToolContext {
  const own = { ...context, chat: conversation.chat };
  conversations.set(own, conversation);
  return own;
}

/** Injects what the executing agent knows of its conversations. Outside of a conversation the call fails. */
export function chatContext(): Injection<ChatContext> {
  return { valueFor: (context) => conversationOf(context, "chatContext()").chat };
}

/** Injects the variables of the conversation, to be read and changed. Outside of a conversation the call fails. */
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
