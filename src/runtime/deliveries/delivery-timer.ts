import type { Clock } from "../../base/clock.ts";

/** Makes deliveries without an alarm, as during a long drive. */
export class DeliveryTimer {
  readonly #clock: Clock;
  readonly #flush: () => Promise<void>;
  readonly #onFlushed: () => unknown;
  #underWay: Promise<void> | undefined;
  #next: { readonly atMs: number; readonly cancel: () => void } | undefined;

  /** `onFlushed` is called after each flush scheduled by `flushBy`: some deliveries may have been postponed. */
  constructor(clock: Clock, flush: () => Promise<void>, onFlushed: () => unknown) {
    this.#clock = clock;
    this.#flush = flush;
    this.#onFlushed = onFlushed;
  }

  /** Flushes in the next turn, with all additions of the current one. */
  flushNext(): void {
    this.#clock.after(0, () => {
      this.#underWay = this.#flush().catch(() => undefined);
    });
  }

  /** Flush started by `flushNext`. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Flushes at this time, or earlier; several calls of one turn make one flush. */
  flushBy(atMs: number): void {
    if (this.#next !== undefined && this.#next.atMs <= atMs) return;
    this.#next?.cancel();
    const cancel = this.#clock.after(Math.max(0, atMs - this.#clock.now()), () => {
      this.#next = undefined;
      void this.#flush()
        .then(() => this.#onFlushed())
        .catch(() => undefined);
    });
    this.#next = { atMs, cancel };
  }

  /** Cancels the scheduled flush. */
  cancel(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }
}
