import type { StepRecord } from "./journal-store.ts";

/**
 * Records `count` waits together. All new ones are written by one call of `commit`, which must write the rows and their
 * dependent data in one transaction.
 */
export class WaitsTogether {
  readonly #commit: (rows: readonly StepRecord[]) => void;
  readonly #rows: StepRecord[] = [];
  readonly #onRecord = Promise.withResolvers<void>();
  #left: number;

  constructor(count: number, commit: (rows: readonly StepRecord[]) => void) {
    this.#left = count;
    this.#commit = commit;
  }

  /** Excludes one wait already on record. */
  skip(): void {
    this.#left--;
  }

  /** Adds a row; resolves once all are on record. `guarded` runs the writing. */
  add(row: StepRecord, guarded: (write: () => void) => void): Promise<void> {
    this.#rows.push(row);
    if (--this.#left === 0) {
      guarded(() => this.#commit(this.#rows));
      this.#onRecord.resolve();
    }
    return this.#onRecord.promise;
  }
}
