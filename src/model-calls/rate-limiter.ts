const WINDOW_MS = 60_000;

/** At most `maxPerMinute` requests in any minute: says when the next one may go out. */
export class RateLimiter {
  readonly #maxPerMinute: number;
  /** When each request of the last minute goes out, oldest first. */
  #times: readonly number[] = [];

  constructor(maxPerMinute: number) {
    this.#maxPerMinute = maxPerMinute;
  }

  /** Takes the next place. Answers the times of all requests that still count, the new one last: `nowMs`, or later. */
  reserve(nowMs: number): readonly number[] {
    const blocking = this.#times.at(-this.#maxPerMinute);
    const atMs = blocking === undefined ? nowMs : Math.max(nowMs, blocking + WINDOW_MS);
    const counting = this.#times.filter((timeMs) => timeMs > nowMs - WINDOW_MS);
    this.#times = [...counting, atMs].slice(-this.#maxPerMinute);
    return this.#times;
  }

  /** Continues from a reservation of an earlier drive. */
  restore(times: readonly number[]): void {
    this.#times = times;
  }
}
