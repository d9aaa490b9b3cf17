import type { JsonValue } from "../../base/json.ts";
import { Conversation } from "../conversation.ts";
import { conversationOptionsFrom } from "./conversation-options-from.ts";
import { readConversationDefinition } from "./definition.ts";
import type { MemberRegistry } from "./members-from-definition.ts";
import type { ConversationFinder } from "../named-conversation.ts";
import type { RunnableConversation } from "../runnable-conversation.ts";

/** Names available to definitions of conversations. */
export type ConversationRegistry = Omit<MemberRegistry, "fromData"> & {
  /** Target conversations, by name. */
  readonly conversations?: Readonly<Record<string, RunnableConversation>> | undefined;
};

/**
 * Makes a conversation of a definition in any spelling, from a file or from `PUT /conversations/:name`. Throws
 * `invalid_definition` with one issue for each fault.
 */
export function conversationFromDefinition(
  definition: unknown,
  registry: ConversationRegistry = {},
): Conversation {
  const { conversations = {} } = registry;
  const finder: ConversationFinder = {
    registered: (name) => (Object.hasOwn(conversations, name) ? conversations[name] : undefined),
    read: (name, stored: JsonValue) =>
      conversationFromDefinition({ ...(stored as object), name }, registry),
  };
  const options = conversationOptionsFrom(readConversationDefinition(definition), registry);
  return new Conversation(options, finder);
}
