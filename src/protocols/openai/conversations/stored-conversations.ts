// Conversations of responses: their messages are those of their runs, and added ones.
//
//   OK1. A conversation exists by its record, made with it or with its first response: any text can be its id.
//   OK2. Its record has the newest metadata. A deleted conversation is not found; its runs stay.
//   OK3. It belongs to the caller that made it: others change and continue it with the scope `admin` alone.
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import { textOfContent } from "../../../llm/content.ts";
import type { OperationRequest } from "../../../parts/operation.ts";
import { hasScope } from "../../../parts/rights.ts";
import { maySeeRun, startedBy } from "../../started-by.ts";
import { OF_THREADS, type ThreadMessage, type ThreadRun } from "../../thread-store.ts";
import { short } from "../call-ids.ts";
import type { Turns } from "../turns.ts";

/** The caller of a request. */
export type ConversationCaller = Pick<OperationRequest, "tenant" | "callerId" | "scopes">;

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

/** Not the protocol of runs, so records are no runs of the thread. */
const RECORDS = `openai${OF_THREADS}`;

/** Returns the thread of a conversation's messages. */
export function threadOfConversation(id: string): string {
  return `conversation:${id}`;
}

/** Makes a conversation of this caller, unless it exists. */
export async function beginConversation(
  turns: Turns,
  { tenant, callerId }: ConversationCaller,
  {
    id,
    createdAtMs,
    metadata = {},
  }: { readonly id: string; readonly createdAtMs: number; readonly metadata?: JsonObject },
): Promise<void> {
  const data = { ...startedBy(callerId), metadata };
  await turns.runs.threads.add(tenant, { ...rowOf(id), createdAtMs, data });
}

/** Changes the record of a conversation. Fails like `ownConversation`. */
export async function changeConversation(
  turns: Turns,
  caller: ConversationCaller,
  { id, data }: { readonly id: string; readonly data: JsonObject },
): Promise<void> {
  const record = await ownConversation(turns, caller, id);
  await turns.runs.threads.setData(caller.tenant, record.runId, { ...record.data, ...data });
}

/** Returns the record for a change (OK3). Fails with `not_found`, or `forbidden` for other callers. */
export async function ownConversation(
  turns: Turns,
  { tenant, callerId, scopes }: ConversationCaller,
  id: string,
): Promise<ThreadRun> {
  const record = await recordOf(turns, tenant, id);
  if (maySeeRun({ callerId, mayRead: hasScope(scopes, "admin") }, record)) return record;
  throw new EngineError(
    "forbidden",
    `the conversation ${preview(id)} belongs to another key: use this key, or one with the scope "admin"`,
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
    await turns.runs.log.say(tenant, { ...rowOf(added.id), protocol: "openai" }, [message]);
}

/** Fails with `not_found` (OK1). */
export async function findConversation(
  turns: Turns,
  tenant: string,
  id: string,
): Promise<Conversation> {
  const { createdAtMs, data } = await recordOf(turns, tenant, id);
  return {
    id,
    object: "conversation",
    created_at: Math.floor(createdAtMs / 1000),
    metadata: (data["metadata"] ?? {}) as JsonObject,
  };
}

async function recordOf(turns: Turns, tenant: string, id: string): Promise<ThreadRun> {
  const row = rowOf(id);
  const record = await turns.runs.threads.get(tenant, row.runId);
  if (record !== undefined && record.data["deleted"] !== true) return record;
  throw new EngineError("not_found", `there is no conversation ${preview(id)}`);
}

/** Returns the messages of a conversation as items, oldest first. */
export async function itemsOf(
  turns: Turns,
  tenant: string,
  id: string,
): Promise<readonly ConversationItem[]> {
  const messages = await turns.runs.log.messages(tenant, threadOfConversation(id));
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

/** The row of a conversation, which belongs to no run. */
function rowOf(id: string): ThreadRun {
  const threadId = threadOfConversation(id);
  const about = { kind: "", name: "", createdAtMs: 0, data: {} };
  return { ...about, runId: threadId, threadId, protocol: RECORDS };
}
