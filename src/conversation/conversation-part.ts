import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import type { DefinitionReaders } from "../parts/definition-body.ts";
import type { Part, Subject } from "../parts/part.ts";
import { VersionedDefinitions, type Versioned } from "../parts/versions.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import { conversationInfo } from "./conversation-info.ts";
import { chatEvents } from "./events.ts";
import type { ConversationFinder } from "./named-conversation.ts";
import { conversationRunOperations } from "./operations/conversation-runs.ts";
import { conversationDefinitionOperations } from "./operations/conversations.ts";
import {
  namedDefinition,
  readStoredConversation,
  type FoundConversation,
} from "./operations/find-conversation.ts";
import { messageOperations } from "./operations/messages.ts";
import { conversationRun } from "./operations/run-shapes.ts";
import { conversationShapes } from "./operations/shapes.ts";
import type { RunnableConversation } from "./runnable-conversation.ts";

export type ConversationPartOptions = {
  /** Conversations of the deployed code, by name: the current version of each. */
  readonly conversations: Readonly<Record<string, RunnableConversation>>;
  /** What stored conversations can name. */
  readonly registry: DefinitionRegistry;
  readonly readers: DefinitionReaders;
};

/** Conversations. One brings this part along (`Conversation.part`), so a Worker without any carries none of it. */
export function conversationPart(
  settings: Omit<ConversationPartOptions, "conversations"> & {
    readonly conversations: Versioned<RunnableConversation>;
  },
): Part {
  const versions = new VersionedDefinitions(settings.conversations);
  const registry: DefinitionRegistry = { ...settings.registry, fromData: true };
  const options = { ...settings, conversations: versions.current, registry };
  const { conversations } = options;
  const registered = (name: string): RunnableConversation | undefined =>
    Object.hasOwn(conversations, name) ? conversations[name] : undefined;
  const read = (name: string, stored: JsonValue): Required<FoundConversation> =>
    readStoredConversation(registry, namedDefinition(name, stored));
  const finder: ConversationFinder = {
    registered,
    read: (name, stored) => read(name, stored).conversation,
  };
  const programOf = (start: RunStart): RunProgram => {
    const { name, definition } = start;
    const conversation =
      definition === undefined ? versions.find(start) : read(name, definition).conversation;
    if (conversation !== undefined) return conversation.program(finder);
    throw new EngineError(
      "not_found",
      `conversation "${name}" is not registered in this deployment any more`,
    );
  };
  return {
    name: "conversations",
    docs: "conversations.md",
    events: chatEvents,
    kinds: {
      conversation: {
        schemas: conversationRun,
        program: programOf,
        version: ({ name, definition }) =>
          definition === undefined ? versions.currentVersion(name) : undefined,
      },
    },
    subjects: {
      conversation: {
        names: () => Object.keys(conversations),
        get: (name) => {
          const conversation = registered(name);
          return conversation === undefined ? undefined : subjectOf(name, conversation);
        },
        read: (name, stored) => {
          const { conversation, definition } = read(name, stored);
          return subjectOf(name, conversation, definition);
        },
      },
    },
    bind: (host) => ({
      operations: [
        ...conversationDefinitionOperations(options, host),
        ...conversationRunOperations(options, host),
        ...messageOperations(options, host),
      ],
      shapes: conversationShapes,
    }),
  };
}

/** Its message is what a caller says; other inputs are context variables. */
function subjectOf(
  name: string,
  conversation: RunnableConversation,
  definition?: JsonValue,
): Subject {
  return {
    about: () => conversationInfo(conversation),
    requiredInputs: [],
    messagesInput: "messages",
    forkFrom: () => ({ fromStep: "chat/round:1" }),
    start: (all) => {
      const inputs = requestOf(all);
      conversation.check(inputs);
      const start = { kind: "conversation", name, inputs } as const;
      return definition === undefined ? start : { ...start, definition };
    },
  };
}

function requestOf({
  messages,
  contextVariables,
  maxRounds,
  ...variables
}: JsonObject): JsonObject {
  const opening =
    typeof messages === "string" ? { message: messages } : { messages: messages ?? null };
  const hasVariables = Object.keys(variables).length > 0;
  const shared = hasVariables
    ? { ...variables, ...(contextVariables as JsonObject | undefined) }
    : contextVariables;
  return {
    ...opening,
    ...(shared === undefined ? undefined : { contextVariables: shared }),
    ...(maxRounds === undefined ? undefined : { maxRounds }),
  };
}
