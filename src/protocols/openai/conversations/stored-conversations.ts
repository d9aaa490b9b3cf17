// Conversations of responses: their messages are those of their runs, and added ones.
//
//   OK1. A conversation exists by its record, or by a message in it: any text can be its id.
//   OK2. Records are added, never changed: the newest metadata count. A deleted conversation is not found; its runs stay.
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import { textOfContent } from "../../../llm/content.ts";
import type { ThreadMessage } from "../../thread-store.ts";
import { short } from "../call-ids.ts";
import type { Turns } from "../turns.ts";

/** A conversation as OpenAI's API shows it. */
export type Conversation = {
  readonly id: string;
  readonly object: "conversation";
  /** In seconds. */
  readonly created_at: number;
  readonly metadata: JsonObject;
};

/** A message as an item of a conversation. */
export type ConversationItem = JsonObject & { readonly id: string; readonly type: string };

/** Not the protocol of runs, so records are no messages. */
const RECORDS = "openai-conversations";
const MAX_RECORDS = 200;

/** Returns the thread of a conversation's messages. */
export function threadOfConversation(id: string): string {
  return `conversation:${id}`;
}

/** Adds a record. `key` names it uniquely within the conversation. */
export async function keepRecord(
  turns: Turns,
  tenant: string,
  record: { readonly id: string; readonly key: string; readonly data: JsonObject },
): Promise<void> {
  const { id, key, data } = record;
  await turns.keep(
    tenant,
    { ...rowOf(id), protocol: RECORDS },
    { id: key, data, threadId: threadOfConversation(id) },
  );
}

/** Adds messages to a conversation. */
export async function addMessages(
  turns: Turns,
  tenant: string,
  added: {
    readonly id: string;
    readonly messages: ReadonlyArray<Omit<ThreadMessage, "runId" | "createdAtMs">>;
  },
): Promise<void> {
  for (const message of added.messages)
    await turns.runs.say(tenant, { ...rowOf(added.id), protocol: "openai" }, message);
}

/** Fails with `not_found` (OK1). */
export async function findConversation(
  turns: Turns,
  tenant: string,
  id: string,
): Promise<Conversation> {
  const threadId = threadOfConversation(id);
  const { threads } = turns.runs;
  const records = await threads.messages(tenant, { protocol: RECORDS, threadId }, MAX_RECORDS);
  const [first] =
    records.length > 0
      ? records
      : await threads.messages(tenant, { protocol: "openai", threadId }, MAX_RECORDS);
  if (first === undefined || records.some(({ data }) => data?.["deleted"] === true))
    throw new EngineError("not_found", `there is no conversation ${preview(id)}`);
  const metadata = records.findLast(({ data }) => data?.["metadata"] !== undefined)?.data;
  return {
    id,
    object: "conversation",
    created_at: Math.floor(first.createdAtMs / 1000),
    metadata: (metadata?.["metadata"] ?? {}) as JsonObject,
  };
}

/** Returns the messages of a conversation as items, oldest first. */
export async function itemsOf(
  turns: Turns,
  tenant: string,
  id: string,
): Promise<readonly ConversationItem[]> {
  const messages = await turns.runs.messages(tenant, threadOfConversation(id));
  return messages.filter(({ content }) => content.length > 0).map(itemOf);
}

function itemOf({ id, runId, role, content }: ThreadMessage): ConversationItem {
  const isUser = role === "user";
  return {
    id: `msg_${short(JSON.stringify([runId, id]))}`,
    type: "message",
    role: isUser ? "user" : "assistant",
    status: "completed",
    content: [
      isUser
        ? { type: "input_text", text: textOfContent(content) }
        : { type: "output_text", text: textOfContent(content), annotations: [], logprobs: [] },
    ],
  };
}

/** A row for messages that belong to no run. */
function rowOf(id: string) {
  return {
    runId: id,
    threadId: threadOfConversation(id),
    kind: "",
    name: "",
    createdAtMs: 0,
    data: {},
  };
}
