import type { JsonValue } from "../base/json.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import { Conversation } from "./conversation.ts";
import { conversationOptionsFrom } from "./conversation-options-from.ts";
import { readConversationDefinition } from "./definition.ts";
import type { ConversationFinder } from "./named-conversation.ts";
import type { RunnableConversation } from "./runnable-conversation.ts";

/** What definitions of conversations can name. */
export type ConversationRegistry = Pick<DefinitionRegistry, "tools"> & {
  /** Conversations that others lead to, by name. */
  readonly conversations?: Readonly<Record<string, RunnableConversation>> | undefined;
};

/**
 * Makes a conversation of a definition in any spelling: what a file says, or `PUT /conversations/:name` takes. Throws
 * `invalid_definition` with one issue for each thing that is wrong.
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
