// Saves that go on beside the run.
//
//   MW1. A branch lies where replay passes again until the run ends: not inside a step or group that can finish before it.
//   MW2. Whoever opens the place drains before ending, so that a run never ends with something unsaved.
//   MW3. Draining never throws: a failure is reported where it happened.

/** Branches of one drive of a run, or of one memory outside of runs. */
export class MemoryWrites {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins once all earlier ones are through: saves of one writer are strictly one after another. */
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
