const WINDOW_MS = 60_000;

/** At most `maxPerMinute` requests in any minute: computes the time of the next one. */
export class RateLimiter {
  readonly #maxPerMinute: number;
  /** Send times of the last minute's requests, oldest first. */
  #times: readonly number[] = [];

  constructor(maxPerMinute: number) {
    this.#maxPerMinute = maxPerMinute;
  }

  /** Takes the next place. Returns the times of all requests that still count, the new one last: `nowMs`, or later. */
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
