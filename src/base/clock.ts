/** Time as the engine sees it. Real in production, advanced by hand in tests and simulations. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds since some moment, however clocks are set. @default `now`, which jumps when they are */
  elapsed?(): number;
  /** Calls `callback` once, `delayMs` from now, never synchronously; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Resolves `delayMs` from now; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Latest time of a `Date`. */
const MAX_DATE_MS = 8.64e15;

let second = { atMs: Number.NaN, text: "" };

/** Formats a time as `2026-11-20T09:30:00.000Z`. Caches the last second, because calls come close together. */
export function isoTime(atMs: number): string {
  if (!(Number.isInteger(atMs) && atMs >= 0 && atMs < MAX_DATE_MS))
    return new Date(atMs).toISOString();
  const ms = atMs % 1000;
  const startMs = atMs - ms;
  if (second.atMs !== startMs)
    second = { atMs: startMs, text: new Date(startMs).toISOString().slice(0, -4) };
  return `${second.text}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`;
}
