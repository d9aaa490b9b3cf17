import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toJson } from "../../base/recorded.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { DefinitionStore } from "../../parts/definition-store.ts";
import { notStored, refuseVersion, storedVersion } from "../../parts/stored-definitions.ts";
import { usablePart } from "../conversation-lacks.ts";
import { conversationOptionsFrom } from "../conversation-options-from.ts";
import { placedIssues, readConversationDefinition } from "../definition.ts";
import type { MemberRegistry } from "../members-from-definition.ts";
import { RunnableConversation } from "../runnable-conversation.ts";

/** Where conversations are found by name. */
export type ConversationSources = {
  /** Those of the deployed code. */
  readonly conversations: Readonly<Record<string, RunnableConversation>>;
  /** What stored ones can name. */
  readonly registry: MemberRegistry;
};

export type FoundConversation = {
  readonly conversation: RunnableConversation;
  /** Of a stored one. */
  readonly definition?: JsonObject;
};

/**
 * Reads a definition, as it was sent or stored. The conversation goes without what `services` lack; the definition is whole. Throws
 * `invalid_definition`.
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
 * The registered conversation of that name, else the tenant's stored one, in its present version unless another is asked for. Throws
 * `not_found`, `invalid_definition` when a stored one no longer fits, and `invalid_input` for a version of a registered one.
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

/** A stored definition has the name that it is stored under. */
export function namedDefinition(name: string, definition: JsonValue): JsonObject {
  return { ...(definition as JsonObject), name };
}
