import type { Clock } from "./clock.ts";

/** No timer of a platform is longer; a later one is the alarm's. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Something that is to be called, at a time of the timer's own. */
export type Call = { readonly atMs: number; readonly callback: () => void };

/**
 * One timer for all that is to be called later, as most of it never is: steps end long before their time limits, and a timer that
 * is set and cleared for each of them costs as much as writing its row, and three times that in workerd.
 *
 * Its time is that of the platform's timers. The clock only tells how far it is from one ring to the next: when the clock is set,
 * nothing is called before its time, and nothing much later.
 */
export class SharedTimer {
  readonly #clock: Clock;
  readonly #calls = new Set<Call>();
  /** Rings for the first call, or earlier, for one that was cancelled. */
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #nowMs = 0;
  /** What the clock said then. */
  #clockMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#clockMs = clock.now();
  }

  /** Calls `callback` once, `delayMs` from now, unless it is cancelled before. */
  after(delayMs: number, callback: () => void): Call {
    const clockMs = this.#clock.now();
    const passedMs = Math.max(0, clockMs - this.#clockMs);
    this.#itIs(Math.min(this.#nowMs + passedMs, this.#timer?.atMs ?? Infinity), clockMs);
    const call = { atMs: this.#nowMs + delayMs, callback };
    this.#calls.add(call);
    this.#ringBy(call.atMs);
    return call;
  }

  cancel(call: Call): void {
    this.#calls.delete(call);
  }

  /** Cancels all, and leaves no timer behind. */
  clear(): void {
    this.#calls.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #itIs(nowMs: number, clockMs: number): void {
    this.#nowMs = nowMs;
    this.#clockMs = clockMs;
  }

  #ringBy(atMs: number): void {
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(Math.max(0, atMs - this.#nowMs), () => this.#ring(atMs));
    this.#timer = { atMs, cancel };
  }

  #ring(nowMs: number): void {
    this.#timer = undefined;
    this.#itIs(nowMs, this.#clock.now());
    const due = [...this.#calls].filter(({ atMs }) => atMs <= nowMs);
    for (const { atMs } of this.#calls) if (atMs > nowMs) this.#ringBy(atMs);
    for (const call of due) if (this.#calls.delete(call)) call.callback();
  }
}
