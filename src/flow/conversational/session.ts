// Sessions: stored state of conversations between turns, and claims of turns.
//
//   CS1. One turn of a session at a time. A turn enters its claim in the order of the store, and holds it unless an
//        earlier claim is still open. Otherwise it is refused with `conflict`, and leaves no trace.
//   CS2. A turn builds on the newest stored state, and is stored only if this state is still the newest: no turn undoes
//        another.
//   CS3. Claims, saves and releases are idempotent for the same turn.
//   CS4. A failed turn, or one whose run is gone, leaves the session unchanged.
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FlowHistoryPage, FlowSnapshotSummary, FlowStore } from "../flow-store.ts";

/** A stored session. */
export type SessionRecord = {
  /** Number of turns so far. */
  readonly turn: number;
  /** Number of dropped messages, which is also the number of the first stored message. */
  readonly dropped: number;
  readonly state: JsonObject;
  /**
   * Time of its first stored turn, in milliseconds since the epoch. Absent in sessions from before this field existed.
   */
  readonly begunAtMs?: number;
  /** Beginning of the first message. Absent like `begunAtMs`. */
  readonly opening?: string;
};

/** A session as lists show it. */
export type SessionSummary = {
  readonly id: string;
  /** Number of turns so far. */
  readonly turns: number;
  /** True if the latest turn ended the conversation. */
  readonly ended: boolean;
  readonly begunAtMs: number;
  readonly lastAtMs: number;
  /** Beginning of the first message, if known. */
  readonly opening?: string;
};

/** Access to the runs of turns. */
export type Lookout = {
  readonly nowMs: number;
  /** Undefined for a run that does not exist. */
  readonly hasEnded: (runId: string) => Promise<boolean | undefined>;
};

/** A turn, identified by its run and step. */
export type TurnClaim = {
  readonly sessionId: string;
  readonly runId: string;
  readonly key: string;
};

/** Input of a turn. */
export type OpenedSession = {
  /** Place of the stored state; null for a session without turns. */
  readonly base: number | null;
  readonly record: SessionRecord | null;
};

/** Page of sessions; the next page continues before `next`. */
export type SessionPage = { readonly items: readonly SessionSummary[]; readonly next?: number };

/** Fields of a session's record for lists. */
const LISTED = {
  turn: ["turn"],
  dropped: ["dropped"],
  begunAtMs: ["begunAtMs"],
  opening: ["opening"],
  ended: ["state", "ended"],
  first: ["state", "messages", 0, "content"],
} as const;

const OPEN = "open";
const CLOSED = "closed";
const REFUSED = "refused";
const PAGE = 10;
/** Maximum time until a run with a turn has started. */
const START_MS = 60_000;

/** Maximum length of the first message in lists. */
const MAX_OPENING = 80;

/** The beginning of a session's first message. */
export function openingOf(message: string): string {
  const line = message.trim().replaceAll(/\s+/g, " ");
  return line.length <= MAX_OPENING ? line : `${line.slice(0, MAX_OPENING - 1).toWellFormed()}…`;
}

/** The sessions of one flow. */
export class Sessions {
  readonly #store: FlowStore;
  readonly #states: string;
  readonly #claims: string;

  constructor(store: FlowStore, flow: string) {
    this.#store = store;
    // Separate histories, so the flow's own saves do not push them out.
    this.#states = `${flow}/sessions`;
    this.#claims = `${flow}/turns`;
  }

  async load(sessionId: string): Promise<SessionRecord | undefined> {
    const snapshot = await this.#store.loadState(this.#states, sessionId);
    return snapshot?.state as SessionRecord | undefined;
  }

  /** Lists sessions, newest first. Undefined if the store cannot list them. */
  async list(page: FlowHistoryPage): Promise<SessionPage | undefined> {
    const found = await this.#store.listSessions?.(this.#states, { ...page, values: LISTED });
    if (found === undefined) return undefined;
    const { items, next } = found;
    return {
      items: items.map(({ flowId: id, createdAtMs: lastAtMs, oldestAtMs, values }) => {
        const { turn, ended, begunAtMs, opening, dropped, first } = values;
        const said = opening ?? (dropped === 0 ? first : undefined);
        return {
          id,
          turns: typeof turn === "number" ? turn : 0,
          ended: ended === true,
          begunAtMs: typeof begunAtMs === "number" ? begunAtMs : oldestAtMs,
          lastAtMs,
          ...(typeof said === "string" ? { opening: openingOf(said) } : undefined),
        };
      }),
      ...(next === undefined ? undefined : { next }),
    };
  }

  /** Returns the current turn; undefined without one. */
  async holder(sessionId: string): Promise<FlowSnapshotSummary | undefined> {
    return (await this.#look(sessionId)).rival;
  }

  /** Ends the blocking turn of another run, if this run has ended or never started. */
  async makeWay(
    { sessionId, runId }: { readonly sessionId: string; readonly runId?: string },
    { nowMs, hasEnded }: Lookout,
  ): Promise<void> {
    const holder = await this.holder(sessionId);
    if (holder === undefined || holder.runId === runId) return;
    const ended = await hasEnded(holder.runId);
    if (ended ?? holder.createdAtMs + START_MS < nowMs)
      await this.release({ ...holder, sessionId }, nowMs);
  }

  /** Claims the session for this turn. Throws `conflict` during another turn. */
  async claim(turn: TurnClaim, nowMs: number): Promise<void> {
    const { sessionId } = turn;
    const { own, rival } = await this.#look(sessionId, turn);
    if (own?.method === OPEN && rival === undefined) return;
    if (own?.method === CLOSED)
      throw new EngineError("conflict", `this turn of session "${sessionId}" was abandoned`);
    if (rival !== undefined && own?.method !== OPEN) throw underWay(sessionId, rival);
    await this.#mark(turn, OPEN, nowMs);
    const then = await this.#look(sessionId, turn);
    if (then.own !== undefined && then.rival === undefined) return;
    await this.#mark(turn, REFUSED, nowMs);
    if (then.rival !== undefined) throw underWay(sessionId, then.rival);
    throw new EngineError(
      "conflict",
      `another turn of session "${sessionId}" was saved in the meantime`,
    );
  }

  /** Claims the session and returns the turn's input. */
  async open(turn: TurnClaim, nowMs: number): Promise<OpenedSession> {
    await this.claim(turn, nowMs);
    const [newest] = await this.#store.history(this.#states, turn.sessionId, { limit: 1 });
    if (newest === undefined) return { base: null, record: null };
    const snapshot = await this.#store.loadState(this.#states, turn.sessionId, newest.seq);
    return { base: newest.seq, record: (snapshot?.state ?? null) as SessionRecord | null };
  }

  /** Stores the result of the turn and ends it. Throws `conflict` if the session has continued without it. */
  async keep(
    turn: TurnClaim,
    { base, record, nowMs }: { base: number | null; record: SessionRecord; nowMs: number },
  ): Promise<void> {
    const { sessionId, runId } = turn;
    const key = `${turn.key}/kept`; // the claim has the step's own
    const [newest] = await this.#store.history(this.#states, sessionId, { limit: 1 });
    if (newest === undefined || !isOf(newest, { ...turn, key })) {
      await this.claim(turn, nowMs);
      if ((newest?.seq ?? null) !== base)
        throw new EngineError(
          "conflict",
          `session "${sessionId}" has changed since this turn began: its newest turn belongs to run ${newest?.runId ?? "none"}`,
        );
      await this.#store.saveState({
        runId,
        key,
        flow: this.#states,
        flowId: sessionId,
        method: `turn ${record.turn}`,
        state: record,
        createdAtMs: nowMs,
      });
    }
    await this.release(turn, nowMs);
  }

  /** Ends a turn; another one may begin. */
  release(turn: TurnClaim, nowMs: number): Promise<void> {
    return this.#mark(turn, CLOSED, nowMs);
  }

  /** Deletes a session. False if it did not exist. */
  async forget(sessionId: string): Promise<boolean> {
    const count = await this.#store.forget(this.#states, sessionId);
    await this.#store.forget(this.#claims, sessionId);
    return count > 0;
  }

  #mark({ sessionId, runId, key }: TurnClaim, method: string, createdAtMs: number): Promise<void> {
    const place = { flow: this.#claims, flowId: sessionId, runId, key };
    return this.#store.saveState({ ...place, method, state: {}, createdAtMs });
  }

  /**
   * Reads the claims from the newest on. `own` is the turn's claim, unless a later turn has ended since. `rival` is the
   * open claim before it, or, for a caller without a claim, the oldest open one.
   */
  async #look(
    sessionId: string,
    turn?: TurnClaim,
  ): Promise<{ readonly own?: FlowSnapshotSummary; readonly rival?: FlowSnapshotSummary }> {
    let own: FlowSnapshotSummary | undefined;
    let open: FlowSnapshotSummary | undefined;
    for (let before: number | undefined; ;) {
      const page = await this.#store.history(this.#claims, sessionId, { before, limit: PAGE });
      for (const row of page) {
        if (turn !== undefined && isOf(row, turn)) {
          own = row;
          open = undefined; // the claims read so far are later
        } else if (row.method === OPEN) {
          if (own !== undefined) return { own, rival: row };
          open = row;
        } else if (row.method === CLOSED) {
          return { ...(own && { own }), ...(open && { rival: open }) };
        }
      }
      before = page.at(-1)?.seq;
      if (page.length < PAGE) return { ...(own && { own }), ...(open && { rival: open }) };
    }
  }
}

function isOf(row: FlowSnapshotSummary, { runId, key }: TurnClaim): boolean {
  return row.runId === runId && row.key === key;
}

function underWay(sessionId: string, { runId }: FlowSnapshotSummary): EngineError {
  return new EngineError(
    "conflict",
    `a turn of session "${sessionId}" is active in run ${runId}: wait for its end, answer its question, or cancel it`,
  );
}
