// `/v1/conversations`: conversations of responses, with metadata and messages.
import * as z from "zod";
import type { AgentMessage } from "../../../agent/agent-messages.ts";
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import { operation, type Operation, type OperationRequest } from "../../../parts/operation.ts";
import type { PartHost } from "../../../parts/part.ts";
import { shape } from "../../../parts/shape.ts";
import { agentMessages } from "../chat/messages.ts";
import { wrong } from "../errors.ts";
import { itemsQuery, pageOfItems } from "../page-of-items.ts";
import { messagesIn } from "../responses/input.ts";
import { inputItem, openAiInputItemsShape } from "../responses/schema.ts";
import { readOpenAiBody, sharedFields } from "../schema.ts";
import type { Turns } from "../turns.ts";
import {
  addMessages,
  beginConversation,
  changeConversation,
  findConversation,
  itemsOf,
  ownConversation,
  type ConversationItem,
} from "./stored-conversations.ts";

const MAX_ADDED = 20;
const { metadata } = sharedFields;
const newItems = z.array(inputItem).max(MAX_ADDED);
const newConversation = z.looseObject({ metadata, items: newItems.nullish() });
const changedConversation = z.looseObject({ metadata });
const addedItems = z.looseObject({ items: newItems.min(1) });

const conversationShape = shape("OpenAiConversation", () =>
  z.strictObject({
    id: z.string(),
    object: z.literal("conversation"),
    created_at: z.number(),
    metadata: z.record(z.string(), z.unknown()),
  }),
);
const itemShape = shape("OpenAiConversationItem", () =>
  z.looseObject({ type: z.string(), id: z.string() }),
);
const deletedShape = shape("OpenAiConversationDeleted", () =>
  z.strictObject({
    id: z.string(),
    object: z.literal("conversation.deleted"),
    deleted: z.literal(true),
  }),
);

const shared = { group: "OpenAI compatibility" } as const;
const SHOWN = { 200: { description: "The conversation", shape: conversationShape } };
const LISTED = { 200: { description: "The items", shape: openAiInputItemsShape } };
const NEEDS = { needs: "a conversation of POST /v1/conversations" };
const WRONG = [400, 404, 413, 415] as const;

/** `/v1/conversations`. */
export function conversationOperations(host: PartHost, turns: Turns): readonly Operation[] {
  return [
    begin(host, turns),
    ...conversations(host, turns),
    ...items(turns),
    addItems(host, turns),
  ];
}

function begin(host: PartHost, turns: Turns): Operation {
  return operation({
    ...shared,
    id: "openaiConversation",
    method: "post",
    path: "/v1/conversations",
    scope: "run",
    summary: "Begin a conversation",
    description: "Use its id as `conversation` of a response; any other text works, too.",
    rawBody: { name: "ConversationBody", schema: newConversation, types: [] },
    answers: SHOWN,
    problems: [400, 413, 415],
    example: { metadata: { topic: "tea" } },
    handle: async (request) => {
      const { raw, tenant } = request;
      const body =
        raw.body === null ? {} : await readOpenAiBody(raw, newConversation, host.maxBodyBytes);
      const id = `conv_${host.randomId()}`;
      const added = await messagesOf(body.items ?? []);
      const about = { id, createdAtMs: host.clock.now(), metadata: { ...body.metadata } };
      await beginConversation(turns, request, about);
      await add(host, turns, { tenant, id, added });
      return { status: 200, json: await findConversation(turns, tenant, id) };
    },
  });
}

function conversations(host: PartHost, turns: Turns): readonly Operation[] {
  const find = ({ tenant, params: { id = "" } }: Found) => findConversation(turns, tenant, id);
  const note = (request: OperationRequest, data: JsonObject): Promise<void> =>
    changeConversation(turns, request, { id: request.params["id"] ?? "", data });
  return [
    operation({
      ...shared,
      id: "openaiGetConversation",
      method: "get",
      path: "/v1/conversations/{id}",
      scope: "read",
      summary: "Show a conversation",
      sample: NEEDS,
      answers: SHOWN,
      problems: [404],
      handle: async (request) => ({ status: 200, json: await find(request) }),
    }),
    operation({
      ...shared,
      id: "openaiChangeConversation",
      method: "post",
      path: "/v1/conversations/{id}",
      scope: "run",
      summary: "Change the metadata of a conversation",
      rawBody: { name: "ConversationChange", schema: changedConversation, types: [] },
      sample: NEEDS,
      answers: SHOWN,
      problems: [...WRONG, 403],
      example: { metadata: { topic: "tea" } },
      handle: async (request) => {
        const body = await readOpenAiBody(request.raw, changedConversation, host.maxBodyBytes);
        await note(request, { metadata: { ...body.metadata } });
        return { status: 200, json: await find(request) };
      },
    }),
    operation({
      ...shared,
      id: "openaiDeleteConversation",
      method: "delete",
      path: "/v1/conversations/{id}",
      scope: "run",
      summary: "Delete a conversation",
      description: "Its responses and their runs stay.",
      sample: NEEDS,
      answers: { 200: { description: "Deleted", shape: deletedShape } },
      problems: [403, 404],
      handle: async (request) => {
        const { id = "" } = request.params;
        await note(request, { deleted: true });
        return { status: 200, json: { id, object: "conversation.deleted", deleted: true } };
      },
    }),
  ];
}

function items(turns: Turns): readonly Operation[] {
  return [
    operation({
      ...shared,
      id: "openaiConversationItems",
      method: "get",
      path: "/v1/conversations/{id}/items",
      scope: "read",
      summary: "List the messages of a conversation",
      description: "The newest 200 messages, in pages.",
      query: itemsQuery,
      sample: NEEDS,
      answers: LISTED,
      problems: [400, 404],
      handle: async (request) => ({
        status: 200,
        json: pageOfItems(await listed(turns, request), request.query),
      }),
    }),
    operation({
      ...shared,
      id: "openaiConversationItem",
      method: "get",
      path: "/v1/conversations/{id}/items/{item}",
      scope: "read",
      summary: "Show a message of a conversation",
      sample: { values: { item: "msg_0123456789ab" }, ...NEEDS },
      answers: { 200: { description: "The item", shape: itemShape } },
      problems: [404],
      handle: async (request) => {
        const { item = "" } = request.params;
        const found = (await listed(turns, request)).find(
          ({ id }: ConversationItem) => id === item,
        );
        if (found === undefined)
          throw new EngineError("not_found", `there is no item ${preview(item)}`);
        return { status: 200, json: found };
      },
    }),
  ];
}

function addItems(host: PartHost, turns: Turns): Operation {
  return operation({
    ...shared,
    id: "openaiAddConversationItems",
    method: "post",
    path: "/v1/conversations/{id}/items",
    scope: "run",
    summary: "Add messages to a conversation",
    rawBody: { name: "ConversationItems", schema: addedItems, types: [] },
    sample: NEEDS,
    answers: LISTED,
    problems: [...WRONG, 403],
    example: { items: [{ role: "user", content: "tea" }] },
    handle: async (request) => {
      const { raw, tenant, params } = request;
      const body = await readOpenAiBody(raw, addedItems, host.maxBodyBytes);
      const added = await messagesOf(body.items);
      await ownConversation(turns, request, params["id"] ?? "");
      const before = await listed(turns, request);
      await add(host, turns, { tenant, id: params["id"] ?? "", added });
      const known = new Set(before.map(({ id }) => id));
      const fresh = (await listed(turns, request)).filter(({ id }) => !known.has(id));
      return { status: 200, json: pageOfItems(fresh, { limit: MAX_ADDED, order: "asc" }) };
    },
  });
}

type Found = Pick<OperationRequest, "tenant" | "params">;

/** Fails with `not_found`. */
async function listed(
  turns: Turns,
  { tenant, params: { id = "" } }: Found,
): Promise<readonly ConversationItem[]> {
  await findConversation(turns, tenant, id);
  return itemsOf(turns, tenant, id);
}

/** Reads items as messages of a user or an assistant; calls of tools as text. Fails with `invalid_input`. */
async function messagesOf(added: z.output<typeof newItems>): Promise<readonly AgentMessage[]> {
  const messages = await messagesIn(added, () => Promise.resolve(undefined));
  const system = messages.findIndex(({ role }) => role === "system" || role === "developer");
  if (system >= 0)
    throw wrong(
      `/items/${system}/role`,
      "{} must be user or assistant: send instructions with each response",
    );
  return agentMessages({ messages, where: "/items" }).filter(({ content }) => content.length > 0);
}

function add(
  host: PartHost,
  turns: Turns,
  { tenant, id, added }: { tenant: string; id: string; added: readonly AgentMessage[] },
): Promise<void> {
  return addMessages(turns, tenant, {
    id,
    messages: added.map(({ role, content }) => ({
      id: host.randomId(),
      role: role === "user" ? "user" : "agent",
      content,
    })),
  });
}
