import type { Clock } from "./clock.ts";

/** No timer of a platform is longer; a later one is the alarm's. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** A scheduled callback, with its time in milliseconds of `Clock.elapsed`. */
export type Call = { readonly atMs: number; readonly callback: () => void };

/**
 * One timer for all scheduled callbacks, most of which never run: steps end long before their time limits. A timer per
 * step, set and cleared, costs as much as writing its row, and three times as much in workerd.
 */
export class SharedTimer {
  readonly #clock: Clock;
  readonly #calls = new Set<Call>();
  /** Fires for the first callback, or earlier for a cancelled one. */
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `callback` once, `delayMs` from now, unless it is cancelled before. */
  after(delayMs: number, callback: () => void): Call {
    const call = { atMs: this.nowMs + delayMs, callback };
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

  /** Current time on the scale of `Clock.elapsed`. */
  get nowMs(): number {
    return this.#clock.elapsed?.() ?? this.#clock.now();
  }

  #ringBy(atMs: number): void {
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(Math.max(0, atMs - this.nowMs), () => this.#ring(atMs));
    this.#timer = { atMs, cancel };
  }

  /** `dueMs`: when it was to ring; timers of some platforms ring a little early. */
  #ring(dueMs: number): void {
    this.#timer = undefined;
    const nowMs = Math.max(dueMs, this.nowMs);
    const due = [...this.#calls].filter(({ atMs }) => atMs <= nowMs);
    for (const { atMs } of this.#calls) if (atMs > nowMs) this.#ringBy(atMs);
    for (const call of due) if (this.#calls.delete(call)) call.callback();
  }
}
