import type { Clock } from "../base/clock.ts";

/** The pauses between requests about runs, of all handles of one client. They end early when one handle answers the run. */
export class Pauses {
  readonly #clock: Clock;
  readonly #wakers = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends all pauses of this run. */
  wake(runId: string): void {
    for (const wake of this.#wakers.get(runId) ?? []) wake();
  }

  /** Resolves to true if it was cut short, because the run continues or the signal aborted. */
  pause(runId: string, durationMs: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (early: boolean): void => {
        cancel();
        wakers.delete(wake);
        if (wakers.size === 0) this.#wakers.delete(runId);
        signal?.removeEventListener("abort", wake);
        resolve(early);
      };
      const wake = (): void => end(true);
      const cancel = this.#clock.after(durationMs, () => end(false));
      const wakers = this.#wakers.get(runId) ?? new Set();
      this.#wakers.set(runId, wakers.add(wake));
      signal?.addEventListener("abort", wake);
    });
  }
}
