import type { JournalStore, StepRecord } from "./journal-store.ts";
import { allRows } from "./replay-plan.ts";

/**
 * Counts the steps of one kind and label that began before each of them in a run. Reads the record, so every drive gets
 * the same number.
 */
export class StepRanks {
  readonly #store: JournalStore;
  readonly #kind: StepRecord["kind"];
  readonly #counts = new Map<string | null, number>();
  readonly #ranks = new Map<string, number>();
  #readUpTo = 0;

  constructor(store: JournalStore, kind: StepRecord["kind"]) {
    this.#store = store;
    this.#kind = kind;
  }

  /** Returns the rank of a recorded step. */
  of(key: string): number {
    for (const row of allRows(this.#store, this.#readUpTo)) {
      this.#readUpTo = row.startedSeq;
      if (row.kind !== this.#kind) continue;
      const count = this.#counts.get(row.label) ?? 0;
      this.#ranks.set(row.key, count);
      this.#counts.set(row.label, count + 1);
    }
    return this.#ranks.get(key) ?? 0;
  }
}
