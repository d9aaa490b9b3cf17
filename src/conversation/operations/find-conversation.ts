import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { notStored, refuseVersion, storedVersion } from "../../parts/stored-definitions.ts";
import { usablePart } from "../definition/conversation-lacks.ts";
import { conversationOptionsFrom } from "../definition/conversation-options-from.ts";
import { placedIssues, readConversationDefinition } from "../definition/definition.ts";
import type { MemberRegistry } from "../definition/members-from-definition.ts";
import { RunnableConversation } from "../runnable-conversation.ts";

/** Sources of conversations by name. */
export type ConversationSources = {
  /** Conversations of the deployed code. */
  readonly conversations: Readonly<Record<string, RunnableConversation>>;
  /** Names available to stored ones. */
  readonly registry: MemberRegistry;
};

export type FoundConversation = {
  readonly conversation: RunnableConversation;
  /** Definition of a stored one. */
  readonly definition?: JsonObject;
};

/**
 * Reads a sent or stored definition. The conversation omits fields that `services` cannot support; the definition is
 * complete. Throws `invalid_definition`.
 */
export function readStoredConversation(
  registry: MemberRegistry,
  stored: unknown,
  services?: RunServices,
): Required<FoundConversation> {
  const checked = readConversationDefinition(stored);
  const usable = services === undefined ? checked : usablePart(checked, services);
  try {
    const conversation = new RunnableConversation(conversationOptionsFrom(usable, registry));
    return { conversation, definition: toJson(checked) as JsonObject };
  } catch (error) {
    if (!EngineError.is(error) || error.issues === undefined || !isJsonObject(stored)) throw error;
    const issues = placedIssues(error.issues, stored);
    throw new EngineError(error.code, error.message, { issues });
  }
}

/**
 * Returns the registered conversation of a name, else the tenant's stored one, in its present version or in the
 * requested one. Throws `not_found`, `invalid_definition` for a stored one that no longer fits, and `invalid_input` for
 * a version of a registered one.
 */
export async function findConversation(
  {
    conversations,
    registry,
    definitions,
  }: ConversationSources & { readonly definitions: Pick<DefinitionStore, "get"> },
  tenant: string,
  { name, version }: { readonly name: string; readonly version?: number | undefined },
): Promise<FoundConversation> {
  if (Object.hasOwn(conversations, name)) {
    refuseVersion("conversation", name, version);
    return { conversation: conversations[name] as RunnableConversation };
  }
  const stored = await storedVersion(definitions, { tenant, kind: "conversation", name }, version);
  if (stored === undefined) throw notStored("conversation", name);
  return readStoredConversation(registry, namedDefinition(name, stored.definition));
}

/** Sets a stored definition's name to the name of its entry. */
export function namedDefinition(name: string, definition: JsonValue): JsonObject {
  return { ...(definition as JsonObject), name };
}
