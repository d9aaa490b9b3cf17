// Causes of a step's beginning or end: read on demand from its key, its row and its events, without stored data of
// their own.
import { isoTime } from "../base/clock.ts";
import type { EventStore } from "../events/event-log.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { JournalStore, StepKind, StepSummary } from "../journal/journal-store.ts";
import { eventsAt } from "./event-places.ts";
import { isAdopted } from "./adopted-rows.ts";

/**
 * `asked`: a model requested it in the step `key`. `fed`: it received the results of the steps `keys`. `woke`: the
 * event of the step `key` triggered it. `called`: the tool of the step `key` began it. `answered`, `expired`: end of a
 * wait. `child`: a run of its own does the work. `copied`: the fork took it over from another run.
 */
export type StepCause =
  | { readonly how: "asked" | "called"; readonly key: string }
  | { readonly how: "fed"; readonly keys: readonly string[] }
  | { readonly how: "woke"; readonly key: string; readonly event: string }
  | { readonly how: "answered"; readonly by?: string; readonly at: string }
  | { readonly how: "expired"; readonly at: string }
  | { readonly how: "child"; readonly run: string }
  | { readonly how: "copied"; readonly run: string };

/** Sources of the causes of a run's steps. */
export type CauseSources = {
  readonly journal: JournalStore;
  readonly events: EventStore;
  /** Original run of a fork, and the last copied place. */
  readonly copied?: { readonly run: string; readonly upToSeq: number } | undefined;
  /** Tasks whose results each task receives, by step key. */
  readonly feeds: ReadonlyMap<string, readonly string[]>;
};

/** Maximum events scanned around a step's start. */
const NEAR = 200;

/** Finds the causes of steps. Caches rows already read. */
export class StepCauses {
  readonly #sources: CauseSources;
  readonly #kinds = new Map<string, StepKind | undefined>();

  constructor(sources: CauseSources, seen: readonly StepSummary[] = []) {
    this.#sources = sources;
    for (const { key, kind } of seen) this.#kinds.set(key, kind);
  }

  of(row: StepSummary): StepCause | undefined {
    const { copied, feeds } = this.#sources;
    const { key, kind, wait, parent, endedAtMs } = row;
    if (copied !== undefined && isAdopted(row, copied.upToSeq))
      return { how: "copied", run: copied.run };
    if (wait?.runId !== undefined) return { how: "child", run: wait.runId };
    if (wait !== null) return endedAtMs === null ? undefined : this.#endOf(key, endedAtMs);
    if (kind === "tool") {
      const call = `${key.slice(0, Math.max(0, key.lastIndexOf("/")))}/llm`;
      if (this.#kindOf(call) === "model") return { how: "asked", key: call };
    }
    if (parent !== null && kind !== "value" && this.#kindOf(parent) === "tool")
      return { how: "called", key: parent };
    const keys = feeds.get(key);
    if (keys !== undefined && keys.length > 0) return { how: "fed", keys };
    return kind === "method" ? this.#wakerOf(row) : undefined;
  }

  #kindOf(key: string): StepKind | undefined {
    if (!this.#kinds.has(key)) this.#kinds.set(key, this.#sources.journal.get(key)?.kind);
    return this.#kinds.get(key);
  }

  #endOf(key: string, endedAtMs: number): StepCause | undefined {
    const settled = this.#near(key, endedAtMs).find(({ type }) => type === "wait_settled");
    if (settled?.type !== "wait_settled") return undefined;
    const at = isoTime(endedAtMs);
    if (settled.expired === true) return { how: "expired", at };
    return { how: "answered", ...(settled.by === undefined ? undefined : { by: settled.by }), at };
  }

  #wakerOf({ key, startedAtMs }: StepSummary): StepCause | undefined {
    for (const { triggeredByEventId: event } of this.#near(key, startedAtMs))
      if (event !== undefined) return { how: "woke", key: pathOf(event), event };
    return undefined;
  }

  #near(key: string, atMs: number): RunEvent[] {
    return [...eventsAt(this.#sources.events, key, { fromMs: atMs, most: NEAR })];
  }
}

/** The place of the event with this id; see `eventId`. */
function pathOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf(":")));
}
