import { EngineError } from "../../base/error.ts";
import { isJsonObject, toJson, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { DefinitionRegistry } from "../../crew/definition/definition-registry.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { conversationOptionsFrom } from "../conversation-options-from.ts";
import { placedIssues, readConversationDefinition } from "../definition.ts";
import { RunnableConversation } from "../runnable-conversation.ts";

/** Where conversations are found by name. */
export type ConversationSources = {
  /** Those of the deployed code. */
  readonly conversations: Readonly<Record<string, RunnableConversation>>;
  /** What stored ones can name. */
  readonly registry: DefinitionRegistry;
};

export type FoundConversation = {
  readonly conversation: RunnableConversation;
  /** Of a stored one. */
  readonly definition?: JsonObject;
};

/** Reads a definition, as it was sent or stored. Throws `invalid_definition`. */
export function readStoredConversation(
  registry: DefinitionRegistry,
  stored: unknown,
): Required<FoundConversation> {
  const checked = readConversationDefinition(stored);
  try {
    const conversation = new RunnableConversation(conversationOptionsFrom(checked, registry));
    return { conversation, definition: toJson(checked) as JsonObject };
  } catch (error) {
    if (!EngineError.is(error) || error.issues === undefined || !isJsonObject(stored)) throw error;
    const issues = placedIssues(error.issues, stored);
    throw new EngineError(error.code, error.message, { issues });
  }
}

/** The registered conversation of that name, else the tenant's stored one. Throws `not_found`, and `invalid_definition` when a stored one no longer fits. */
export async function findConversation(
  {
    conversations,
    registry,
    definitions,
  }: ConversationSources & { readonly definitions: Pick<DefinitionStore, "get"> },
  tenant: string,
  name: string,
): Promise<FoundConversation> {
  if (Object.hasOwn(conversations, name))
    return { conversation: conversations[name] as RunnableConversation };
  const stored = await definitions.get(tenant, "conversation", name);
  if (stored === undefined) throw noConversation(name);
  return readStoredConversation(registry, namedDefinition(name, stored.definition));
}

/** A stored definition has the name that it is stored under. */
export function namedDefinition(name: string, definition: JsonValue): JsonObject {
  return { ...(definition as JsonObject), name };
}

export function noConversation(name: string): EngineError {
  return new EngineError("not_found", `there is no conversation "${name}"`);
}
