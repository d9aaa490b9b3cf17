/** Time as the engine sees it. Real in production, advanced by hand in tests and simulations. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
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

let last = { atMs: Number.NaN, text: "" };

/** `2026-11-20T09:30:00.000Z`. Many events share a millisecond, so the last one is remembered. */
export function isoTime(atMs: number): string {
  if (last.atMs !== atMs) last = { atMs, text: new Date(atMs).toISOString() };
  return last.text;
}
