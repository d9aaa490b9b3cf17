import { conversationPart } from "./conversation-part.ts";
import { RunnableConversation, type ConversationOptions } from "./runnable-conversation.ts";

/**
 * A conversation for `defineApp({ conversations })`, which can also start by itself: `conversation.kickoff({ message
 * })`.
 */
export class Conversation extends RunnableConversation {
  /** Makes the part for running conversations. A Worker without conversations does not contain it. */
  readonly part = conversationPart;
}

/** Makes a conversation. Throws `invalid_definition` for inconsistent options. */
export function defineConversation(options: ConversationOptions): Conversation {
  return new Conversation(options);
}
