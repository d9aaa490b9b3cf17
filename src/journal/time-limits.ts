// Time limits of what goes on side by side, with one timer for all of them: most steps end long before theirs, and setting and
// clearing a timer for each costs as much as writing its row.
import type { Clock } from "../base/clock.ts";

/** No timer of a platform is longer; a later one is the alarm's. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export type TimeLimit = { readonly atMs: number; readonly expire: () => void };

export class TimeLimits {
  readonly #clock: Clock;
  readonly #limits = new Set<TimeLimit>();
  /** Rings at the first limit, or earlier, at one that was lifted. */
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once, `delayMs` from now, unless the limit is lifted before. */
  set(delayMs: number, expire: () => void): TimeLimit {
    const limit = { atMs: this.#clock.now() + delayMs, expire };
    this.#limits.add(limit);
    this.#ringBy(limit.atMs);
    return limit;
  }

  lift(limit: TimeLimit): void {
    this.#limits.delete(limit);
  }

  /** Lifts all, and leaves no timer behind. */
  clear(): void {
    this.#limits.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #ringBy(atMs: number): void {
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(Math.max(0, atMs - this.#clock.now()), () => this.#ring(atMs));
    this.#timer = { atMs, cancel };
  }

  /** `dueMs`: when it was to ring. Clocks are set back, and timers of some platforms ring a little early. */
  #ring(dueMs: number): void {
    this.#timer = undefined;
    const nowMs = Math.max(dueMs, this.#clock.now());
    const due = [...this.#limits].filter(({ atMs }) => atMs <= nowMs);
    for (const { atMs } of this.#limits) if (atMs > nowMs) this.#ringBy(atMs);
    for (const limit of due) if (this.#limits.delete(limit)) limit.expire();
  }
}
