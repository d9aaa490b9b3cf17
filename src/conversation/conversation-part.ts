import { graphOfConversation } from "./picture/graph-of-conversation.ts";
import { graphOperation } from "../graph/graph-operation.ts";
import { inRows } from "../graph/in-rows.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Part, Subject } from "../parts/part.ts";
import { VersionedDefinitions, type Versioned } from "../parts/versions.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import type { RunServices } from "../events/run-services.ts";
import { unusedOf } from "./definition/conversation-lacks.ts";
import { conversationInfo } from "./conversation-info.ts";
import { chatEvents } from "./events.ts";
import type { MemberRegistry } from "./definition/members-from-definition.ts";
import type { ConversationFinder } from "./named-conversation.ts";
import { ag2StreamOperations } from "./operations/ag2-stream.ts";
import { conversationStart, conversationWays, withFiles } from "./operations/conversation-ways.ts";
import { wayOperations } from "../starts/start-way.ts";
import type { ConversationPartOptions } from "./conversation-part-options.ts";
import { conversationDefinitionOperations } from "./operations/conversations.ts";
import {
  namedDefinition,
  readStoredConversation,
  type FoundConversation,
  findConversation,
} from "./operations/find-conversation.ts";
import { messageOperations } from "./operations/messages.ts";
import { conversationRun } from "./operations/run-shapes.ts";
import type { RunnableConversation } from "./runnable-conversation.ts";

/**
 * Makes the part for conversations. `Conversation.part` refers to it, so a Worker without conversations does not
 * contain it.
 */
export function conversationPart(
  settings: Omit<ConversationPartOptions, "conversations"> & {
    readonly conversations: Versioned<RunnableConversation>;
  },
): Part {
  const versions = new VersionedDefinitions(settings.conversations);
  const registry: MemberRegistry = { ...settings.registry, fromData: true };
  const options = { ...settings, conversations: versions.current, registry };
  const { conversations } = options;
  const ways = conversationWays(options);
  const registered = (name: string): RunnableConversation | undefined =>
    Object.hasOwn(conversations, name) ? conversations[name] : undefined;
  const read = (
    name: string,
    stored: JsonValue,
    services?: RunServices,
  ): Required<FoundConversation> =>
    readStoredConversation(registry, namedDefinition(name, stored), services);
  const finder: ConversationFinder = {
    registered,
    read: (name, stored, services) => read(name, stored, services).conversation,
  };
  const programOf = (start: RunStart): RunProgram => {
    const { name, definition } = start;
    if (definition !== undefined) {
      const { conversation, definition: whole } = read(name, definition);
      return {
        ...conversation.program(finder),
        // Fields that the deployment cannot support are left out, with a warning (CDL1).
        run: (scope, inputs) => {
          for (const [index, { path, message }] of unusedOf(whole, scope.services).entries())
            scope.emit("conversation_warning", { conversation: name, field: path, message }, index);
          const usable = read(name, definition, scope.services).conversation;
          return usable.program(finder).run(scope, inputs);
        },
      };
    }
    const conversation = versions.find(start);
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
        ways,
        subjects: {
          names: () => Object.keys(conversations),
          get: (name) => {
            const conversation = registered(name);
            return conversation === undefined ? undefined : subjectOf(name, { conversation });
          },
          read: (name, stored) => subjectOf(name, read(name, stored)),
        },
      },
    },
    bind: (host) => ({
      operations: [
        ...conversationDefinitionOperations(options, host),
        graphOperation({
          id: "conversationGraph",
          path: "/conversations/{name}/graph",
          group: "Conversations",
          subject: "conversation",
          what: "a conversation",
          find: async (tenant, name, query) => {
            const sources = { ...options, definitions: host.definitions };
            const { conversation } = await findConversation(sources, tenant, { name });
            return inRows(graphOfConversation(name, conversation), query);
          },
        }),
        ...wayOperations(ways, host),
        ...messageOperations(options, host),
        ...ag2StreamOperations(host),
      ],
    }),
  };
}

/** The caller's message opens it; other inputs are context variables. */
function subjectOf(name: string, found: FoundConversation): Subject {
  const { conversation } = found;
  return {
    about: () => conversationInfo(conversation),
    requiredInputs: [],
    messagesInput: "messages",
    graph: (query) => inRows(graphOfConversation(name, conversation), query),
    forkFrom: () => ({ fromStep: firstRound(conversation) }),
    start: (inputs, files) => withFiles(conversationStart(name, found, requestOf(inputs)), files),
  };
}

/** Key of the first round of a conversation's runs. */
function firstRound({ exchange: { kind } }: RunnableConversation): string {
  return ["chat", "group_chat", "chats"].includes(kind) ? "chat/chat:1/round:1" : "chat/round:1";
}

function requestOf({
  messages,
  contextVariables,
  maxRounds,
  ...variables
}: JsonObject): JsonObject {
  const opening =
    typeof messages === "string"
      ? { message: messages }
      : messages === undefined
        ? undefined
        : { messages };
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
