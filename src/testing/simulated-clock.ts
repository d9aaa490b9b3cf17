import type { Clock } from "../base/clock.ts";
import { partsLoaded } from "../base/load-part.ts";

/** Longest delay of a platform timer. Node and workerd fire longer timers at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Maximum number of turns at one moment of time, before `advance` reports an endless loop. */
const MAX_TURNS = 1000;

type Timer = { readonly dueAtMs: number; readonly callback: () => void };

/**
 * A clock that stands still until a test calls `advance`.
 *
 * Timers without a delay are the exception: they fire on the next turn of the event loop. The journal uses them to see
 * if anything still moves. A run therefore proceeds and ends by itself; only waits for time need `advance`.
 */
export class SimulatedClock implements Clock {
  #nowMs: number;
  /** Timers in order of creation. Of two timers due at the same time, the earlier one fires first. */
  readonly #timers = new Set<Timer>();
  /** Number of pending zero-delay timers. */
  #immediate = 0;

  /** @param startMs first value of `now()`, in milliseconds since the epoch */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** Throws a `RangeError` for a delay above 2^31 - 1 ms, which a real timer would fire at once. */
  after(delayMs: number, callback: () => void): () => void {
    if (!(delayMs <= MAX_DELAY_MS)) throw new RangeError(`no timer can wait ${delayMs} ms`);
    if (delayMs <= 0) return this.#soon(callback);
    const timer: Timer = { dueAtMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Number of timers waiting for `advance`. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Due time of the next timer waiting for `advance`, in milliseconds since the epoch. */
  get nextDueMs(): number | undefined {
    return this.#next()?.dueAtMs;
  }

  /**
   * Lets time pass. Timers fire in the order of their due times. All effects of a timer (promises, zero-delay timers,
   * further timers within the span) happen before the next one fires.
   */
  async advance(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    await this.settle();
    for (
      let timer = this.#next();
      timer !== undefined && timer.dueAtMs <= endMs;
      timer = this.#next()
    ) {
      this.#timers.delete(timer);
      this.#nowMs = Math.max(this.#nowMs, timer.dueAtMs);
      timer.callback();
      await this.settle();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  /** Lets promises and timers without a delay run. No time passes. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const before = this.#immediate;
      await macrotask();
      if (await partsLoaded()) continue;
      if (before === 0 && this.#immediate === 0) return;
    }
    throw new Error(
      `something sets timers without a delay on and on: ${MAX_TURNS} turns and no end`,
    );
  }

  #soon(callback: () => void): () => void {
    this.#immediate++;
    let open = true;
    const close = (): boolean => {
      if (!open) return false;
      open = false;
      this.#immediate--;
      return true;
    };
    const timer = setTimeout(() => {
      if (close()) callback();
    }, 0);
    return () => {
      if (close()) clearTimeout(timer);
    };
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (next === undefined || timer.dueAtMs < next.dueAtMs) next = timer;
    return next;
  }
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
