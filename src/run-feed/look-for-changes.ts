// Polls for changes of runs until it finds some or the time is up.
//
//   FEED1. A reader receives each wanted change once, in order; of several changes of one run perhaps only the newest.
//   FEED2. If the order cannot be followed from a place, the reader must fetch its list again. Reasons: later deletions
//          are forgotten, or the place is beyond the newest change.
//   FEED3. A changed run without the wanted status is reported as gone, because it may have had this status before.
import { sleep, type Clock } from "../base/clock.ts";
import type { RunSummary } from "../runtime/run-directory.ts";
import type { RunChange, RunChanges } from "./run-changes.ts";

/** Maximum number of changes in one query. */
export const MAX_CHANGES = 200;
/** Pauses after a successful poll, and then after each empty one. */
const PAUSES_MS = [250, 1_000, 2_000, 5_000];

/** Filter of a reader. */
export type WantedRuns = {
  readonly kinds?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  /** Only runs without a parent. */
  readonly top?: boolean | undefined;
};

/** A change for readers. */
export type ReportedChange =
  | (RunSummary & { readonly change: number })
  | {
      readonly id: string;
      readonly change: number;
      readonly gone: true;
      /** Of an existing run without the wanted status. */
      readonly status?: RunSummary["status"];
    };

export type Found = {
  readonly items: readonly ReportedChange[];
  /** Place of the last examined change. */
  readonly next: number;
  /** True if there are already more. */
  readonly more: boolean;
};

export type Looking = {
  readonly changes: RunChanges;
  readonly tenant: string;
  readonly wanted: WantedRuns;
  readonly clock: Clock;
};

/** Returns the first place of a reader. `isReset` is true if this is not the requested place (FEED2). */
export async function beginAt(
  { changes, tenant }: Looking,
  after: number | undefined,
): Promise<{ readonly place: number; readonly isReset: boolean }> {
  const { newest, forgotten } = await changes.range(tenant);
  if (after === undefined) return { place: newest, isReset: false };
  const isReset = after > newest || after < forgotten;
  return { place: isReset ? newest : after, isReset };
}

/** Queries once for changes. */
export async function look({ changes, tenant, wanted }: Looking, place: number): Promise<Found> {
  const found = await changes.after(tenant, place, MAX_CHANGES);
  return {
    items: found.flatMap((change) => reportedOf(change, wanted)),
    next: found.at(-1)?.change ?? place,
    more: found.length === MAX_CHANGES,
  };
}

/** Pauses between queries. */
export class Pauses {
  readonly #clock: Clock;
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resets the pauses after a change. */
  restart(): void {
    this.#next = 0;
  }

  /** Waits until the next query, or until `deadlineMs`. Rejects when the signal aborts. */
  async wait(deadlineMs: number, signal: AbortSignal): Promise<void> {
    const pauseMs = PAUSES_MS[this.#next] ?? 0;
    this.#next = Math.min(this.#next + 1, PAUSES_MS.length - 1);
    await sleep(
      this.#clock,
      Math.max(0, Math.min(pauseMs, deadlineMs - this.#clock.now())),
      signal,
    );
  }
}

function reportedOf(change: RunChange, wanted: WantedRuns): readonly ReportedChange[] {
  const { kinds, name, statuses, top } = wanted;
  if ("gone" in change) return [{ id: change.gone, change: change.change, gone: true }];
  const { run } = change;
  if (kinds !== undefined && !kinds.includes(run.kind)) return [];
  if (name !== undefined && run.name !== name) return [];
  if (top === true && run.parent !== undefined) return [];
  if (statuses !== undefined && !statuses.includes(run.status))
    return [{ id: run.id, change: change.change, gone: true, status: run.status }];
  return [{ ...run, change: change.change }];
}
