import {
  errorMessage,
  EngineError,
  toErrorRecord,
  type ErrorRecord,
  type Issue,
} from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { ModelCatalog } from "../../llm/model-catalog.ts";
import { shownDefinition } from "../../parts/definition-specs.ts";
import type { StoredDefinition } from "../../parts/definition-store.ts";
import type { DefinitionRegistry } from "../../crew/definition/definition-registry.ts";
import type { RunnableConversation } from "../runnable-conversation.ts";
import { namedDefinition, readStoredConversation } from "./find-conversation.ts";

/** A member of a conversation as the API shows it. */
export type MemberView = {
  readonly name: string;
  readonly description?: string;
  /** Whether a person speaks for it, by a wait. */
  readonly isHuman: boolean;
  readonly tools: readonly string[];
};

/** A conversation as the API shows it. */
export type ConversationView = {
  readonly name: string;
  readonly source: "code" | "stored";
  readonly description?: string;
  readonly pattern: string;
  readonly agents: readonly MemberView[];
  readonly initialAgent: string;
  readonly userAgent?: string;
  readonly maxRounds: number;
  /** Other conversations that it leads to. */
  readonly conversations: readonly string[];
  /** What a stored one goes without here, such as keys of models. */
  readonly warnings?: readonly Issue[];
  /** Why a stored one cannot run any more, as when a tool that it names is gone. */
  readonly error?: ErrorRecord;
};

/** As `ConversationView`, with what was stored. */
export type ConversationDetails = ConversationView & { readonly definition?: JsonObject };

/** What stored conversations have at hand. */
export type ConversationDeployment = {
  readonly registry: DefinitionRegistry;
  readonly models: ModelCatalog;
};

export function conversationView(
  name: string,
  source: ConversationView["source"],
  { description, maxRounds, pattern, conversationNames }: RunnableConversation,
): ConversationView {
  const { group, initialAgent, userAgent } = pattern.prepare();
  return {
    name,
    source,
    ...(description === undefined ? undefined : { description }),
    pattern: pattern.kind,
    agents: group.members.map(
      ({ name: agent, humanInputMode, options, offeredTools }): MemberView => ({
        name: agent,
        ...(options.description === undefined ? undefined : { description: options.description }),
        isHuman: humanInputMode === "ALWAYS",
        tools: offeredTools.map(({ safeName }) => safeName),
      }),
    ),
    initialAgent: initialAgent.name,
    ...(userAgent === undefined ? undefined : { userAgent: userAgent.name }),
    maxRounds,
    conversations: conversationNames,
  };
}

/** A stored conversation with its definition and its warnings. */
export function detailsOf(
  name: string,
  { conversation, definition }: ReturnType<typeof readStoredConversation>,
  { models }: ConversationDeployment,
): ConversationDetails {
  const warnings = unusableModels(definition, models);
  return {
    ...conversationView(name, "stored", conversation),
    ...(warnings.length === 0 ? undefined : { warnings }),
    definition: shownDefinition(definition),
  };
}

/** Never throws: a conversation that cannot run any more must not hide the others. */
export function storedConversationView(
  deployment: ConversationDeployment,
  { name, definition }: StoredDefinition,
): ConversationDetails {
  try {
    const read = readStoredConversation(deployment.registry, namedDefinition(name, definition));
    return detailsOf(name, read, deployment);
  } catch (error) {
    return {
      name,
      source: "stored",
      pattern: "default",
      agents: [],
      initialAgent: "",
      maxRounds: 0,
      conversations: [],
      error: toErrorRecord(error, "invalid_definition"),
      definition: shownDefinition(definition) as JsonObject,
    };
  }
}

function unusableModels(definition: JsonObject, models: ModelCatalog): readonly Issue[] {
  const { agents, pattern } = definition as {
    readonly agents: Readonly<Record<string, { readonly llm?: JsonValue }>>;
    readonly pattern?: { readonly llm?: JsonValue };
  };
  const named = [
    ...Object.entries(agents).map(
      ([name, { llm }]) => [`/agents/${pointerPart(name)}/llm`, llm] as const,
    ),
    ["/pattern/llm", pattern?.llm] as const,
  ];
  return named.flatMap(([path, spec]) => {
    if (spec === undefined || spec === false) return [];
    const missing = whyUnusable(spec as Parameters<ModelCatalog>[0], models);
    return missing === undefined ? [] : [{ path, message: `calls will fail: ${missing}` }];
  });
}

function whyUnusable(spec: Parameters<ModelCatalog>[0], models: ModelCatalog): string | undefined {
  try {
    return models(spec).missingKey;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return errorMessage(error);
  }
}
