import type { Clock } from "../../base/clock.ts";

/** Makes deliveries although no alarm asks for them, as while a long drive goes on. */
export class DeliveryTimer {
  readonly #clock: Clock;
  readonly #flush: () => Promise<void>;
  readonly #onFlushed: () => unknown;
  #underWay: Promise<void> | undefined;
  #next: { readonly atMs: number; readonly cancel: () => void } | undefined;

  /** `onFlushed` is called after each flush that `flushBy` set a time for: something may have been left for later. */
  constructor(clock: Clock, flush: () => Promise<void>, onFlushed: () => unknown) {
    this.#clock = clock;
    this.#flush = flush;
    this.#onFlushed = onFlushed;
  }

  /** Flushes in the next turn, with everything that this one adds. */
  flushNext(): void {
    this.#clock.after(0, () => {
      this.#underWay = this.#flush().catch(() => undefined);
    });
  }

  /** The flush that `flushNext` began. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Flushes at that time, or earlier; several calls of one turn make one flush. */
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

  /** Nothing is due any more: no time is set. */
  cancel(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }
}
