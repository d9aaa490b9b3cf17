import type { Versioned } from "../parts/versions.ts";
import type { Conversation } from "./conversation.ts";
import { conversationPart } from "./conversation-part.ts";

/** The conversations of an app, and the part for running them. */
export type Conversations = {
  readonly registered: Versioned<Conversation>;
  readonly part: typeof conversationPart;
};

/**
 * Enables conversations stored over HTTP, also for an app without conversations of its own: `defineApp({ conversations:
 * conversations() })`.
 */
export function conversations(registered: Versioned<Conversation> = {}): Conversations {
  return { registered, part: conversationPart };
}
