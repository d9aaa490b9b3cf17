// Stored responses: a turn of a run, with its request.
//
//   OY1. A response is stored as long as its run. A response with `store: false`, or a deleted one, is not found.
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";
import type { OperationRequest } from "../../../parts/operation.ts";
import { mayRead } from "../../../parts/rights.ts";
import type { AgentMessage } from "../../../agent/agent-messages.ts";
import type { Content } from "../content.ts";
import { isSettled, openWaits } from "../../run-state.ts";
import type { ThreadMessage } from "../../thread-store.ts";
import { maySeeRun } from "../../started-by.ts";
import { toAgentMessage } from "../../thread-log.ts";
import type { Outcome } from "../outcome.ts";
import { RECORDS, type Turn, type Turns } from "../turns.ts";
import { turnIn, type ResponseEcho, type ResponseHead } from "./response.ts";

/** A response with its run. */
export type StoredResponse = {
  readonly turn: Turn;
  readonly head: ResponseHead;
  readonly items: readonly InputItemRow[];
  readonly kept: ReadonlyMap<string, ThreadMessage>;
};

/** A listed input item. */
export type InputItemRow = JsonObject & { readonly id: string; readonly type: string };

/** A caller that names a response. */
export type ResponseReader = Pick<OperationRequest, "tenant" | "callerId" | "scopes">;

const ASKED = "asked:";
const DELETED = "deleted:";
/** Limit for the input items of one response, in UTF-16 units. Longer ones are not listed. */
const MAX_ITEMS_LENGTH = 300_000;

/** Stores a request once. */
export async function keepAsked(
  turns: Turns,
  { tenant, turn, echo, input }: { tenant: string; turn: Turn; echo: ResponseEcho; input: unknown },
): Promise<void> {
  const items = JSON.stringify(input).length <= MAX_ITEMS_LENGTH ? input : [];
  const data = { echo, items, answers: turn.answers } as unknown as JsonObject;
  await turns.keep(tenant, turn.thread, { id: ASKED + turn.id, data, threadId: RECORDS });
}

/** Fails with `not_found` (OY1), also for a response out of the caller's sight. */
export async function findResponse(
  turns: Turns,
  { tenant, callerId, scopes }: ResponseReader,
  id: string,
): Promise<StoredResponse> {
  const place = turnIn(id);
  const thread = place && (await turns.runs.threads.get(tenant, place.runId));
  if (place === undefined || thread?.data["api"] !== "responses" || thread.protocol !== "openai")
    throw missing(id);
  if (!maySeeRun({ callerId, mayRead: mayRead(scopes) }, thread)) throw missing(id);
  const kept = await turns.kept(tenant, place.runId);
  const asked = kept.get(ASKED + place.turnId)?.data;
  const echo = asked?.["echo"] as ResponseEcho | undefined;
  if (asked === undefined || !echo?.store || kept.has(DELETED + place.turnId)) throw missing(id);
  const answers = (asked["answers"] ?? []) as readonly string[];
  return {
    turn: { thread, id: place.turnId, answers },
    head: { id, echo },
    items: itemRows(asked["items"] as Content, id),
    kept,
  };
}

/** Returns the outcome of the turn; undefined while it is open. */
export async function outcomeOf(
  turns: Turns,
  tenant: string,
  { turn, kept }: StoredResponse,
): Promise<Outcome | undefined> {
  const known = turns.outcomeIn(kept, turn);
  if (known !== undefined) return known;
  const { run } = await turns.runs.find(tenant, turn.thread.runId);
  const isOpen = openWaits(run).some(({ key }) => turn.answers.includes(key));
  if (!isSettled(run) || isOpen) return undefined;
  return turns.follow(turn, { tenant }, { always: true });
}

/** Marks a response as deleted. Resolves to true if it was the last one of its run. */
export async function markDeleted(
  turns: Turns,
  tenant: string,
  { turn, kept }: StoredResponse,
): Promise<boolean> {
  await turns.keep(tenant, turn.thread, { id: DELETED + turn.id, data: {}, threadId: RECORDS });
  const others = [...kept.keys()].filter(
    (name) => name.startsWith(ASKED) && name !== ASKED + turn.id,
  );
  return others.every((name) => kept.has(DELETED + name.slice(ASKED.length)));
}

/** Returns the messages of a thread up to a run: its own, and those of the runs before it. */
export async function historyUpTo(
  turns: Turns,
  tenant: string,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<readonly AgentMessage[]> {
  const all = await turns.runs.log.messages(tenant, threadId);
  const previous = new Map(
    all.flatMap(({ runId: id, data }) =>
      typeof data?.["previous"] === "string" ? [[id, data["previous"]]] : [],
    ),
  );
  const chain = new Set<string>();
  for (
    let id: string | undefined = runId;
    id !== undefined && !chain.has(id);
    id = previous.get(id)
  )
    chain.add(id);
  return all
    .filter(({ runId: id, content }) => chain.has(id) && content !== "")
    .map(toAgentMessage);
}

function itemRows(input: Content, responseId: string): readonly InputItemRow[] {
  const own = responseId.slice("resp_".length);
  const items = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  return (items as readonly JsonObject[]).map((item, index) => {
    const { content } = item;
    const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : content;
    return {
      ...item,
      type: typeof item["type"] === "string" ? item["type"] : "message",
      ...(parts === undefined ? undefined : { content: parts }),
      id: typeof item["id"] === "string" ? item["id"] : `in_${own}_${index}`,
    };
  });
}

function missing(id: string): EngineError {
  return new EngineError("not_found", `there is no response ${preview(id)}`);
}
