// Port to stored states of flows, and its adapter in this process.
//
//   FS1. Snapshots of one flow and flow id stand in the order of their arrival; the newest is the last of them.
//   FS2. A second snapshot of the same run and step replaces the first, at its place: a repeated save changes nothing.
//   FS3. The newest `MAX_SNAPSHOTS` of a flow id are kept.
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";

/** A flow's state after a method ended. */
export type FlowSnapshot = {
  /** Flow id of the execution, from its state's `id`. Chosen by the caller: a conversation, an order. */
  readonly flowId: string;
  /** The flow's name. */
  readonly flow: string;
  /** Last ended method. */
  readonly method: string;
  readonly state: JsonObject;
  /** Saving run. */
  readonly runId: string;
  /** Saving step. Together with the run it identifies a repeated save. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
};

/** A snapshot as lists show it: without the state. */
export type FlowSnapshotSummary = Omit<FlowSnapshot, "state"> & {
  /** Its place in the order of its flow id: higher is newer. Not dense. */
  readonly seq: number;
  /** Size of the state as JSON. */
  readonly bytes: number;
};

/** A part of a history, newest first. */
export type FlowHistoryPage = {
  /** `seq` of the last read snapshot. */
  readonly before?: number | undefined;
  readonly limit: number;
};

/** A part of the sessions of a flow. */
export type FlowSessionsPage = FlowHistoryPage & {
  /** Values to read from each newest state, by result name: the fields and indexes on the path to each. */
  readonly values: Readonly<Record<string, ReadonlyArray<string | number>>>;
};

/** The newest state of a session. */
export type FlowSessionSummary = Omit<FlowSnapshotSummary, "flow"> & {
  /** Time of the oldest stored state, in milliseconds since the epoch. */
  readonly oldestAtMs: number;
  /** Absent values are left out. */
  readonly values: JsonObject;
};

/** Maximum number of stored snapshots of one flow id. */
export const MAX_SNAPSHOTS = 100;
/** A snapshot's state may have this many bytes as JSON: a row of SQLite on Cloudflare holds it, with room for the rest. */
const MAX_SNAPSHOT_BYTES = 1_900_000;

/** The states of flows, by flow and flow id. */
export interface FlowStore {
  /** Throws `limit_exceeded` for a state above `MAX_SNAPSHOT_BYTES`. */
  saveState(snapshot: FlowSnapshot): Promise<void>;
  /** The newest, or the one of a place in the history. */
  loadState(flow: string, flowId: string, seq?: number): Promise<FlowSnapshot | undefined>;
  history(
    flow: string,
    flowId: string,
    page: FlowHistoryPage,
  ): Promise<readonly FlowSnapshotSummary[]>;
  /** Deletes all snapshots of a flow id and returns their number. */
  forget(flow: string, flowId: string): Promise<number>;
  /**
   * Returns the newest state of each flow id under a flow whose name ends in `/sessions`, newest first. A page may be
   * short although `next` announces more. Absent if the store cannot list flow ids.
   */
  listSessions?(
    flow: string,
    page: FlowSessionsPage,
  ): Promise<{ readonly items: readonly FlowSessionSummary[]; readonly next?: number }>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Store for states of flows with persistence. */
    readonly flowStates?: FlowStore;
  }
}

/** Returns the state as stored. Throws `limit_exceeded` for a too large state. */
export function snapshotText({ flow, flowId, state }: FlowSnapshot): {
  readonly text: string;
  readonly bytes: number;
} {
  const text = JSON.stringify(state);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_SNAPSHOT_BYTES) return { text, bytes };
  throw new EngineError(
    "limit_exceeded",
    `the state of flow "${flow}" (${flowId}) has ${bytes} bytes as JSON; at most ${MAX_SNAPSHOT_BYTES} can be stored: put large values in files, and their names in the state`,
  );
}

type Kept = { readonly summary: FlowSnapshotSummary; readonly text: string };

/** This store holds states in this process. */
export class InMemoryFlowStore implements FlowStore {
  readonly #histories = new Map<string, Kept[]>();
  #seq = 0;

  async saveState(snapshot: FlowSnapshot): Promise<void> {
    const { state: _, ...fields } = snapshot;
    const { text, bytes } = snapshotText(snapshot);
    const name = nameOf(snapshot.flow, snapshot.flowId);
    const history = this.#histories.get(name) ?? [];
    const known = history.findIndex(
      ({ summary }) => summary.runId === snapshot.runId && summary.key === snapshot.key,
    );
    const seq = history[known]?.summary.seq ?? ++this.#seq;
    const kept = { summary: { ...fields, seq, bytes }, text };
    this.#histories.set(
      name,
      known >= 0 ? history.with(known, kept) : [...history, kept].slice(-MAX_SNAPSHOTS),
    );
  }

  async loadState(flow: string, flowId: string, seq?: number): Promise<FlowSnapshot | undefined> {
    const history = this.#histories.get(nameOf(flow, flowId)) ?? [];
    const kept =
      seq === undefined ? history.at(-1) : history.find(({ summary }) => summary.seq === seq);
    if (kept === undefined) return undefined;
    const { bytes: _, seq: __, ...snapshot } = kept.summary;
    return { ...snapshot, state: JSON.parse(kept.text) as JsonObject };
  }

  async history(
    flow: string,
    flowId: string,
    { before = Infinity, limit }: FlowHistoryPage,
  ): Promise<readonly FlowSnapshotSummary[]> {
    return (this.#histories.get(nameOf(flow, flowId)) ?? [])
      .map(({ summary }) => summary)
      .filter(({ seq }) => seq < before)
      .toReversed()
      .slice(0, limit);
  }

  async listSessions(
    flow: string,
    { before = Infinity, limit, values }: FlowSessionsPage,
  ): Promise<{ readonly items: readonly FlowSessionSummary[]; readonly next?: number }> {
    const found = [...this.#histories.values()]
      .flatMap((history) => {
        const [oldest, newest] = [history[0], history.at(-1)];
        if (oldest === undefined || newest?.summary.flow !== flow || newest.summary.seq >= before)
          return [];
        const { flow: _, ...fields } = newest.summary;
        const state = JSON.parse(newest.text) as JsonObject;
        const oldestAtMs = oldest.summary.createdAtMs;
        return { ...fields, oldestAtMs, values: valuesIn(state, values) };
      })
      .toSorted((a, b) => b.seq - a.seq);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.seq } : { items };
  }

  async forget(flow: string, flowId: string): Promise<number> {
    const name = nameOf(flow, flowId);
    const count = this.#histories.get(name)?.length ?? 0;
    this.#histories.delete(name);
    return count;
  }
}

function valuesIn(state: JsonObject, values: FlowSessionsPage["values"]): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const [name, path] of Object.entries(values)) {
    let at: unknown = state;
    for (const part of path) at = (at as Record<string | number, unknown> | undefined)?.[part];
    if (at !== undefined) found[name] = at as JsonValue;
  }
  return found;
}

function nameOf(flow: string, flowId: string): string {
  return JSON.stringify([flow, flowId]);
}
