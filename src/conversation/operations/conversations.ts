import { pointerPart } from "../../base/json-pointer.ts";
import { isJsonObject, preview } from "../../base/json.ts";
import { keyOfCursor } from "../../parts/cursor.ts";
import { readDefinitionBody } from "../../parts/definition-body.ts";
import { storableDefinition } from "../../parts/definition-specs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { findRegistered } from "../../parts/registered.ts";
import { pageQuery } from "../../parts/schemas.ts";
import {
  checkName,
  listBoth,
  refuseGrown,
  refuseRegistered,
} from "../../parts/stored-definitions.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ConversationPartOptions } from "../conversation-part.ts";
import { conversationSchema } from "../definition-schema.ts";
import { conversationGraph } from "../picture/conversation-graph.ts";
import { pictureAnswer } from "../picture/picture.ts";
import {
  conversationView,
  detailsOf,
  storedConversationView,
  type ConversationView,
} from "./conversation-view.ts";
import { findConversation, noConversation, readStoredConversation } from "./find-conversation.ts";
import { pictureQuery } from "./schemas.ts";

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
  const shared = { group: "Conversations", subject: "conversation" } as const;
  const { definitions, clock, models } = host;
  const deployment = { registry, models };
  return [
    operation({
      ...shared,
      id: "listConversations",
      method: "get",
      path: "/conversations",
      scope: "read",
      summary: "List conversations",
      description: "Those of the deployed code first, then stored ones, each by name.",
      query: pageQuery,
      answers: {
        200: { description: "A page of conversations", shape: "Conversation", list: true },
      },
      problems: [400],
      handle: async ({ tenant, query: { cursor, limit } }) => ({
        status: 200,
        json: await listBoth<ConversationView>(host, {
          kind: "conversation",
          tenant,
          registered: Object.keys(conversations),
          ofCode: (name) =>
            conversationView(name, "code", findRegistered(conversations, name, "conversation")),
          ofStored: (row) => {
            const { definition: _, ...view } = storedConversationView(deployment, row);
            return view;
          },
          page: { after: keyOfCursor(cursor), limit },
        }),
      }),
    }),
    operation({
      ...shared,
      id: "getConversation",
      method: "get",
      path: "/conversations/{name}",
      scope: "read",
      summary: "Show a conversation",
      answers: { 200: { description: "The conversation", shape: "ConversationDetails" } },
      problems: [404],
      handle: async ({ tenant, params: { name = "" } }) => {
        if (Object.hasOwn(conversations, name)) {
          const found = findRegistered(conversations, name, "conversation");
          return { status: 200, json: conversationView(name, "code", found) };
        }
        const stored = await definitions.get(tenant, "conversation", name);
        if (stored === undefined) throw noConversation(name);
        return { status: 200, json: storedConversationView(deployment, stored) };
      },
    }),
    operation({
      ...shared,
      id: "putConversation",
      method: "put",
      path: "/conversations/{name}",
      scope: "admin",
      summary: "Store a conversation",
      description:
        "As JSON or YAML, with names in camelCase or snake_case. It runs at once; runs under way keep the definition they were started with. Tools are named from the registry, other conversations by their names. Each mistake is an issue; those of YAML have a line and a column.",
      rawBody: {
        name: "ConversationDefinition",
        schema: conversationSchema,
        types: ["application/yaml"],
      },
      answers: {
        200: { description: "Replaced", shape: "ConversationDetails" },
        201: { description: "New", shape: "ConversationDetails" },
      },
      problems: [400, 409, 413, 415],
      example: EXAMPLE,
      handle: async ({ tenant, params: { name = "" }, raw }) => {
        refuseRegistered(conversations, "conversation", name);
        checkName("conversation", name);
        const body = await readDefinitionBody(raw, host.maxBodyBytes, {
          ...readers,
          project: () => {
            throw invalidInput("the definition cannot be used", [
              { path: "/files", message: "expected a conversation, got the files of a project" },
            ]);
          },
        });
        const read = body.placed(() => {
          const found = readStoredConversation(registry, namedAs(name, body.value));
          refuseItself(name, found);
          return found;
        });
        refuseGrown(read.definition, host);
        const { definitions: rules } = host.placeOf(tenant).environment;
        const owner = `${tenant}/conversation/${name}`;
        const definition = await storableDefinition(read.definition, { rules, owner });
        const entry = { name, definition, nowMs: clock.now() };
        const isNew = await definitions.put(tenant, "conversation", entry);
        const json = detailsOf(name, read, deployment);
        const location = { location: `/conversations/${encodeURIComponent(name)}` };
        return isNew ? { status: 201, json, headers: location } : { status: 200, json };
      },
    }),
    operation({
      ...shared,
      id: "deleteConversation",
      sample: { after: [{ operation: "putConversation" }] },
      method: "delete",
      path: "/conversations/{name}",
      scope: "admin",
      summary: "Delete a stored conversation",
      description: "Its runs are kept, and runs in progress continue.",
      answers: { 204: { description: "Deleted" } },
      problems: [404, 409],
      handle: async ({ tenant, params: { name = "" } }) => {
        refuseRegistered(conversations, "conversation", name);
        if (!(await definitions.delete(tenant, "conversation", name))) throw noConversation(name);
        return { status: 204 };
      },
    }),
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
          shape: "ConversationPicture",
          types: ["image/svg+xml", "text/plain"],
        },
      },
      problems: [400, 404],
      handle: async ({ tenant, params: { name = "" }, query: { format }, raw }) => {
        const { conversation } = await findConversation(
          { conversations, registry, definitions },
          tenant,
          name,
        );
        return pictureAnswer(conversationGraph(conversation), { format, request: raw });
      },
    }),
  ];
}

/** A definition under the name of its path. Throws `invalid_input` if it has another. */
function namedAs(expected: string, definition: unknown): unknown {
  if (!isJsonObject(definition)) return definition;
  const name = definition["name"] ?? expected;
  if (name === expected) return { ...definition, name };
  throw invalidInput("the definition does not fit its path", [
    { path: "/name", message: `expected ${preview(expected)} or nothing, got ${preview(name)}` },
  ]);
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

/** The pointer of the target that names a conversation. */
function pathOfConversation(value: unknown, name: string, path = ""): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ((value as JsonObject)["conversation"] === name) return `${path}/conversation`;
  for (const [key, each] of Object.entries(value)) {
    const found = pathOfConversation(each, name, `${path}/${pointerPart(key)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
