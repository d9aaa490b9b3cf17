// Saves in the background of a run.
//
//   MW1. A branch lies at a place that replay visits until the run ends: not inside a step or group that can finish
//        before the branch.
//   MW2. The code that opens the place drains it before ending, so a run never ends with unsaved memories.
//   MW3. Draining never throws. A failure is reported at its origin.

/** Saves in the background of one drive of a run, or of one memory outside of runs. */
export class MemoryWrites {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a save after all earlier ones. Saves of one writer are strictly sequential. */
  add<T>(save: () => Promise<T>): Promise<T> {
    const saved = this.#last.then(save);
    this.#last = saved.catch(() => undefined);
    return saved;
  }

  async drain(): Promise<void> {
    for (let last; last !== this.#last;) {
      last = this.#last;
      await last;
    }
  }
}
