// Automatic retries of SDKs, after a timeout or a lost connection, without a key for the request.
//
//   OR1. A retry joins the turn of its earlier try, streamed or not. The earlier try must have the same key, path,
//        body, conversation and program, no later try, and an answer that may not have arrived.
//   OR2. Equal text is no identity: a first try always has a turn of its own. If several earlier tries match, a retry
//        is refused, and neither starts nor joins a turn.
//   OR3. A try refused by a limit has started no run, so each refusal permits one retry with a turn of its own.
//        Simultaneous retries claim them: each earlier try has one later try, and each refusal one start.
//   OR4. A client that leaves before its answer may come back: its run is cancelled if no later try comes in time.
import { digestText } from "../../base/bytes.ts";
import type { JsonObject } from "../../base/json.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { HttpError } from "../../parts/problem.ts";
import { NO_RETRY } from "../../parts/code-answers.ts";
import type { ThreadMessage, ThreadStore } from "../thread-store.ts";

/** One try of a request, from an SDK that counts them. */
export type Try = {
  /** Number of the try, from 0. */
  readonly count: number;
  /** Thread with the stored tries of equal requests. */
  readonly place: string;
  /** Time in which all its earlier tries began, in milliseconds. */
  readonly withinMs: number;
};

/** The turn started by an earlier try: the run, and the waits answered by its request. */
export type EarlierTry = { readonly runId: string; readonly answers: readonly string[] };

const COUNT = "x-stainless-retry-count";
/** Default timeout of OpenAI's SDKs. */
const DEFAULT_TIMEOUT_S = 600;
const MAX_TIMEOUT_S = 3_600;
/** Longest pause before a retry, requested by `Retry-After`. */
const LONGEST_PAUSE_MS = 60_000;
/** Time for a retry to arrive. */
const ON_ITS_WAY_MS = 2_000;
const MAX_TRIES = 200;
const TRY = "try:";
const REFUSED = "refused:";
/** Not a protocol, so claims are in no list of threads. */
const CLAIMS = "openai-claims";

/** Returns the try of a request; undefined for clients without counts, and for requests with an `Idempotency-Key`. */
export async function tryOf(
  { raw: { headers, url }, callerId }: Pick<OperationRequest, "raw" | "callerId">,
  identity: { readonly id?: string; readonly digest: string },
): Promise<Try | undefined> {
  const sent = headers.get(COUNT) ?? "";
  if (identity.id !== undefined || !/^\d{1,2}$/.test(sent)) return undefined;
  const count = Number(sent);
  const program = [...headers].filter(
    ([name]) => name === "user-agent" || /^x-stainless-(?!.*(?:retry-count|timeout)$)/.test(name),
  );
  const same = [
    callerId,
    new URL(url).pathname,
    identity.digest,
    headers.get("x-thread-id") ?? "",
    program.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ];
  return {
    count,
    place: `try:${await digestText(JSON.stringify(same))}`,
    withinMs: count * (timeoutOf(headers) * 1000 + LONGEST_PAUSE_MS),
  };
}

/** Returns the client's timeout, in seconds. */
function timeoutOf(headers: Headers): number {
  const said = headers.get("x-stainless-read-timeout") ?? headers.get("x-stainless-timeout");
  const seconds = Math.ceil(Number(said ?? Number.NaN));
  return Number.isFinite(seconds)
    ? Math.min(Math.max(seconds, 1), MAX_TIMEOUT_S)
    : DEFAULT_TIMEOUT_S;
}

/** Milliseconds until a client that left without an answer comes back, if it does. */
export function backWithinMs({ count }: Try): number {
  return Math.min(500 * 2 ** count, 8_000) + ON_ITS_WAY_MS;
}

/** Returns the record of a try that starts or joins a turn. */
export function noteOf(
  { count }: Try,
  answers: readonly string[] = [],
): { id: string; data: JsonObject } {
  return { id: `${TRY}${count}:${answers.join(",")}`, data: { count, answers: [...answers] } };
}

/** True if a later try of the same request has joined the run of these stored messages. */
export function hasLaterTry(kept: Iterable<string>, { count }: Try): boolean {
  return [...kept].some(
    (id) => id.startsWith(TRY) && Number.parseInt(id.slice(TRY.length)) > count,
  );
}

/** Stored tries of equal requests. */
export class SdkRetries {
  readonly #threads: ThreadStore;
  readonly #clock: PartHost["clock"];
  readonly #isOver: IsOver;

  /** `isOver` returns true for a turn with an arrived answer. */
  constructor(threads: ThreadStore, clock: PartHost["clock"], isOver: IsOver) {
    this.#threads = threads;
    this.#clock = clock;
    this.#isOver = isOver;
  }

  /**
   * Returns the earlier try joined by a retry; undefined if it starts a new turn. Fails with `conflict` if several
   * match (OR2).
   */
  async earlier(tenant: string, tried: Try): Promise<EarlierTry | undefined> {
    if (tried.count === 0) return undefined;
    const now = this.#clock.now();
    const rows = (await this.#rows(tenant, tried)).filter(
      ({ createdAtMs }) => createdAtMs >= now - tried.withinMs,
    );
    if (
      await this.#takesRefusal(tenant, tried, {
        rows,
        sinceMs: now - LONGEST_PAUSE_MS - ON_ITS_WAY_MS,
      })
    )
      return undefined;
    const open: TurnOfTries[] = [];
    for (const turn of turnsIn(rows).filter(({ latest }) => latest < tried.count)) {
      const sinceMs = now - backWithinMs({ ...tried, count: tried.count - 1 });
      if (!(await this.#isOver(tenant, turn, sinceMs))) open.push(turn);
      if (open.length > 1) throw ambiguous();
    }
    const [turn] = open;
    if (turn === undefined) return undefined;
    const { runId, answers } = turn;
    for (let { latest } = turn; latest < tried.count;) {
      const other = await this.#claim(tenant, tried, ["later", runId, ...answers, String(latest)]);
      if (other === undefined) return { runId, answers };
      latest = other;
    }
    return undefined;
  }

  /** True for a retry that replaces a refused try with a new turn. Each refusal is used once (OR3). */
  async #takesRefusal(
    tenant: string,
    tried: Try,
    { rows, sinceMs }: { readonly rows: readonly ThreadMessage[]; readonly sinceMs: number },
  ): Promise<boolean> {
    const refusals = rows.filter(
      ({ data, createdAtMs }) => data?.["refused"] === true && createdAtMs >= sinceMs,
    );
    for (const { id } of refusals)
      if ((await this.#claim(tenant, tried, ["refused", id])) === undefined) return true;
    return false;
  }

  /**
   * Returns undefined for the first claim; otherwise the count of the first claimant. Claims are deleted with old
   * threads.
   */
  async #claim(
    tenant: string,
    { place, count }: Try,
    of: readonly string[],
  ): Promise<number | undefined> {
    const runId = `claim:${place}:${of.join(":")}`;
    const claim = {
      runId,
      protocol: CLAIMS,
      threadId: place,
      kind: "",
      name: "",
      createdAtMs: this.#clock.now(),
      data: { count },
    };
    if (await this.#threads.add(tenant, claim)) return undefined;
    const { data } = (await this.#threads.get(tenant, runId)) ?? claim;
    return Number(data["count"]);
  }

  /** Stores a refusal by a limit if it matters: if a retry could also match another try (OR3). */
  async refused(tenant: string, tried: Try, id: string): Promise<void> {
    const [beside] = await this.#rows(tenant, tried);
    if (beside === undefined) return;
    const { runId } = beside;
    const row = {
      id: REFUSED + id,
      runId,
      role: "agent",
      content: "",
      createdAtMs: this.#clock.now(),
    };
    const thread = { runId, protocol: "openai", threadId: tried.place };
    await this.#threads.say(
      tenant,
      { ...thread, kind: "", name: "", createdAtMs: row.createdAtMs, data: {} },
      { messages: [{ ...row, role: "agent", data: { refused: true } }] },
    );
  }

  #rows(tenant: string, { place }: Try): Promise<readonly ThreadMessage[]> {
    return this.#threads.messages(tenant, { protocol: "openai", threadId: place }, MAX_TRIES);
  }
}

/** True for a turn with an arrived answer: it ended before `sinceMs`. */
export type IsOver = (tenant: string, turn: EarlierTry, sinceMs: number) => Promise<boolean>;

type TurnOfTries = EarlierTry & { readonly latest: number };

/** Returns the turns of tries, each with the count of its latest try. */
function turnsIn(rows: readonly ThreadMessage[]): readonly TurnOfTries[] {
  const turns = new Map<string, TurnOfTries>();
  for (const { runId, data = {} } of rows) {
    const { count, answers = [] } = data as { count?: number; answers?: readonly string[] };
    if (count === undefined) continue;
    const key = JSON.stringify([runId, answers]);
    const known = turns.get(key);
    turns.set(key, {
      runId,
      answers,
      latest: Math.max(known?.latest ?? count, count),
    });
  }
  return [...turns.values()];
}

function ambiguous(): HttpError {
  return new HttpError(
    "conflict",
    "this repeats one of several equal requests, and the original is ambiguous: send an Idempotency-Key with each request",
    { headers: NO_RETRY },
  );
}
