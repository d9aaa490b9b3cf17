// Sessions of flows with conversations, for clients that send the whole conversation and no name of it.
//
//   OZ1. A request whose history has no answer begins a session of its own, however equal its words.
//   OZ2. Words are no identity: a history belongs to a session if that session alone has had it, answers included.
//        Otherwise the request is refused, and names the field that says which conversation is meant.
//   OZ3. An item of a response names its run, and thereby its session, for callers who may see the run (RIG2).
import { digestText } from "../../base/bytes.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Viewer } from "../../parts/rights.ts";
import { maySeeRun } from "../started-by.ts";
import type { ThreadRun } from "../thread-store.ts";
import { fingerprintOf, lastWord, type Conversation } from "./chat/messages.ts";
import type { Outcome } from "./outcome.ts";
import type { Asker } from "./question-place.ts";
import type { Turn, Turns } from "./turns.ts";

/** The conversation of a request to a flow with sessions. */
export type SessionRequest = {
  readonly tenant: string;
  readonly viewer: Viewer;
  readonly conversation: Conversation;
  readonly asker: Asker;
  /** Names the field with the conversation's id. */
  readonly namedBy: string;
  /** Run of the latest answer in the history, if the client names it. */
  readonly follows?: string | undefined;
  readonly of: Pick<ThreadRun, "kind" | "name">;
};

/** Maximum number of records of one history. With more of them, its session is unknown. */
const MAX_RECORDS = 200;

/** Returns the session of a request; undefined for a new one. Fails with `conflict` if several may be meant (OZ2). */
export async function sessionOf(
  turns: Turns,
  { tenant, viewer, conversation, asker, namedBy, follows, of }: SessionRequest,
): Promise<string | undefined> {
  if (!conversation.messages.some(({ role }) => role === "assistant")) return undefined;
  const named = follows === undefined ? undefined : await turns.runs.threads.get(tenant, follows);
  const isOfSubject =
    named?.protocol === "openai" && named.kind === of.kind && named.name === of.name;
  if (isOfSubject && maySeeRun(viewer, named)) return named.threadId;
  const { before = [], asked } = lastWord(conversation) ?? {};
  const thread = { protocol: "openai", threadId: await fingerprintOf(asker, before) };
  const rows = await turns.runs.threads.messages(tenant, thread, MAX_RECORDS);
  const answers = new Map<string, string[]>();
  for (const { data = {} } of rows) {
    const { session, said } = data;
    if (typeof session !== "string") continue;
    const known = answers.get(session) ?? [];
    answers.set(session, typeof said === "string" ? [...known, said] : known);
  }
  if (answers.size === 0) return undefined;
  const wanted = asked === undefined ? undefined : await digestText(asked);
  const fitting = [...answers].filter(
    ([, said]) => wanted === undefined || said.length === 0 || said.includes(wanted),
  );
  const [only, another] = fitting;
  if (only !== undefined && another === undefined && rows.length < MAX_RECORDS) return only[0];
  throw new EngineError(
    "conflict",
    `${fitting.length === 0 ? "a conversation with these words has another answer" : "several conversations have these words"}: send the id of yours in ${namedBy}`,
  );
}

/** Records of a turn for the next request of its conversation. */
export class SessionRecord {
  readonly #turns: Turns;
  readonly #about: SessionRequest;
  readonly #turn: Turn;

  constructor(turns: Turns, about: SessionRequest, turn: Turn) {
    this.#turns = turns;
    this.#about = about;
    this.#turn = turn;
  }

  /** Records the history of the turn. */
  begin(): Promise<void> {
    return this.#keep("session", {});
  }

  /** Records its answer. */
  async end({ status, said }: Outcome): Promise<void> {
    if (status === "completed" || status === "waiting")
      await this.#keep("heard", { said: await digestText(said.trim()) });
  }

  async #keep(record: string, data: JsonObject): Promise<void> {
    const { tenant, asker, conversation } = this.#about;
    const { thread, id } = this.#turn;
    await this.#turns.keep(tenant, thread, {
      id: id === "" ? record : `${record}:${id}`,
      data: { ...data, session: thread.threadId },
      threadId: await fingerprintOf(asker, conversation.messages),
    });
  }
}
