import type { Versioned } from "../parts/versions.ts";
import type { Conversation } from "./conversation.ts";
import { conversationPart } from "./conversation-part.ts";

/** The conversations of an app, and the part that runs them. */
export type Conversations = {
  readonly registered: Versioned<Conversation>;
  readonly part: typeof conversationPart;
};

/**
 * Lets an app have conversations that are stored over HTTP, also where it has none of its own: `defineApp({ conversations:
 * conversations() })`.
 */
export function conversations(registered: Versioned<Conversation> = {}): Conversations {
  return { registered, part: conversationPart };
}
