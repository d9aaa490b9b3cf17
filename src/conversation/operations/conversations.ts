import { inRows } from "../../graph/in-rows.ts";
import { graphOfConversation } from "../picture/graph-of-conversation.ts";
import { EngineError } from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Deployment } from "../../crew/definition/deployment-lacks.ts";
import type { DefinitionKindSpec, ReadDefinition } from "../../parts/definition-kind.ts";
import { definitionOperations } from "../../parts/definition-operations.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { findRegistered } from "../../parts/registered.ts";
import { namedAs } from "../../parts/stored-definitions.ts";
import type { ConversationPartOptions } from "../conversation-part-options.ts";
import { refuseLacking, warningsOf } from "../definition/conversation-lacks.ts";
import { conversationSchema } from "../definition/definition-schema.ts";
import { pictureAnswer } from "../picture/picture.ts";
import type { RunnableConversation } from "../runnable-conversation.ts";
import {
  codeDetails,
  conversationView,
  detailsOf,
  storedConversationDetails,
  storedConversationView,
} from "./conversation-view.ts";
import { findConversation, readStoredConversation } from "./find-conversation.ts";
import { pictureQuery } from "./schemas.ts";
import {
  conversationPictureShape,
  conversationShape,
  conversationDetailsShape,
  type ConversationView,
  type ConversationDetails,
} from "./shapes.ts";

const EXAMPLE = {
  agents: {
    triage: {
      systemMessage: "You sort incidents.",
      handoffs: [{ to: "expert", when: "${severity} == 'high'" }],
      afterWork: "reviewer",
    },
    expert: { systemMessage: "You find the cause.", afterWork: "reviewer" },
    reviewer: { systemMessage: "You say what is missing." },
  },
  contextVariables: { severity: "high" },
  maxRounds: 20,
};

/** `/conversations`: registered and stored ones, and their pictures. */
export function conversationDefinitionOperations(
  { conversations, registry, readers }: ConversationPartOptions,
  host: PartHost,
): readonly Operation[] {
  const { definitions, models, variables } = host;
  const deploymentOf = (tenant: string): Deployment => {
    const { services } = host.placeOf(tenant);
    return { services, models, variables, registry };
  };
  const ofCode = (name: string): RunnableConversation =>
    findRegistered(conversations, name, "conversation");
  function readAs(
    tenant: string,
    name: string,
    sent: unknown,
  ): ReadDefinition<ConversationDetails> {
    const deployment = deploymentOf(tenant);
    const read = readStoredConversation(registry, namedAs(name, sent));
    refuseItself(name, read);
    refuseLacking(read.definition, deployment);
    return {
      definition: read.definition,
      details: () => detailsOf(name, read, deployment),
      inputs: [],
      ignored: warningsOf(read, deployment),
      graph: () => inRows(graphOfConversation(name, read.conversation), {}),
    };
  }
  const spec: DefinitionKindSpec<ConversationView, ConversationDetails> = {
    kind: "conversation",
    title: "Conversation",
    shapes: { view: conversationShape, details: conversationDetailsShape },
    registered: conversations,
    ofCode: {
      view: (name) => conversationView(name, "code", ofCode(name)),
      details: (name) => codeDetails(name, ofCode(name)),
    },
    ofStored: {
      view: (tenant, row) => storedConversationView(deploymentOf(tenant), row),
      details: (tenant, row) => storedConversationDetails(deploymentOf(tenant), row),
    },
    readers: () => ({
      ...readers,
      project: () => {
        throw invalidInput("the definition cannot be used", [
          { path: "/files", message: "expected a conversation, got the files of a project" },
        ]);
      },
    }),
    read: readAs,
    readStored: readAs,
    body: {
      schema: conversationSchema,
      description:
        "As JSON or YAML, with names in camelCase or snake_case. It runs at once; runs under way keep the definition they were started with. Tools, functions, shapes and agents of the app are named from the registry, other conversations by their names. Each mistake is an issue; those of YAML have a line and a column. `warnings` has what it goes without in this deployment.",
    },
    example: EXAMPLE,
  };
  const shared = { group: "Conversations", subject: "conversation" } as const;
  return [
    ...definitionOperations(spec, host),
    operation({
      ...shared,
      id: "drawConversation",
      method: "get",
      path: "/conversations/{name}/picture",
      scope: "read",
      summary: "Draw a conversation",
      description:
        "Who hands over to whom, and when: an SVG, Mermaid text, or the graph as JSON, as `format` says, else as `Accept` does.",
      query: pictureQuery,
      answers: {
        200: {
          description: "The picture, in the requested format",
          shape: conversationPictureShape,
          types: ["image/svg+xml", "text/plain"],
        },
      },
      problems: [400, 404],
      handle: async ({ tenant, params: { name = "" }, query: { format }, raw }) => {
        const { conversation } = await findConversation(
          { conversations, registry, definitions },
          tenant,
          { name },
        );
        return pictureAnswer(conversation.exchange.graph(), { format, request: raw });
      },
    }),
  ];
}

/** Throws `invalid_definition` for a conversation that leads to itself. Longer circles are found when a run starts. */
function refuseItself(
  name: string,
  { conversation, definition }: ReturnType<typeof readStoredConversation>,
): void {
  if (!conversation.conversationNames.includes(name)) return;
  throw new EngineError("invalid_definition", `conversation "${name}" leads to itself`, {
    issues: [
      {
        path: pathOfConversation(definition, name) ?? "",
        message: "expected another conversation, got this one itself",
      },
    ],
  });
}

/** Returns the pointer of the target with this conversation's name. */
function pathOfConversation(value: unknown, name: string, path = ""): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ((value as JsonObject)["conversation"] === name) return `${path}/conversation`;
  for (const [key, each] of Object.entries(value)) {
    const found = pathOfConversation(each, name, `${path}/${pointerPart(key)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
