import type { Clock } from "../base/clock.ts";
import { onReturn } from "./page-returns.ts";

/**
 * The pauses between requests of one client. They end early when a handle answers the run, and when the page is online or
 * visible again.
 */
export class Pauses {
  readonly #clock: Clock;
  readonly #wakers = new Map<string | undefined, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends all pauses of this run. */
  wake(runId: string): void {
    for (const wake of this.#wakers.get(runId) ?? []) wake();
  }

  /** Resolves to true if it was cut short, because the run continues or the signal aborted. */
  pause(runId: string | undefined, durationMs: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (early: boolean): void => {
        cancel();
        leave();
        wakers.delete(wake);
        if (wakers.size === 0) this.#wakers.delete(runId);
        signal?.removeEventListener("abort", wake);
        resolve(early);
      };
      const wake = (): void => end(true);
      const leave = onReturn(wake);
      const cancel = this.#clock.after(durationMs, () => end(false));
      const wakers = this.#wakers.get(runId) ?? new Set();
      this.#wakers.set(runId, wakers.add(wake));
      signal?.addEventListener("abort", wake);
    });
  }
}
