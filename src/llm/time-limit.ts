import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { LinkedAbort } from "../base/linked-abort.ts";

/** Time limit of calls without another one, such as embeddings and uploads, in milliseconds. */
export const LONGEST_MS = 600_000;

export type TimeLimit = {
  readonly modelId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  readonly clock: Clock;
};

/**
 * Makes one model call under the caller's signal and, if there is one, a time limit that also covers a slow stream. The
 * signal passed to `call` aborts with the caller's reason, or with the `timeout` error of the limit.
 */
export async function withTimeLimit<T>(
  limit: TimeLimit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { modelId, signal, timeoutMs, clock } = limit;
  if (timeoutMs === undefined) return call(signal);
  const expiry = new LinkedAbort(signal);
  const cancel = clock.after(timeoutMs, () => {
    expiry.abort(
      new EngineError("timeout", `${modelId} did not complete its answer within ${timeoutMs} ms`, {
        retryable: true,
      }),
    );
  });
  try {
    return await call(expiry.signal);
  } finally {
    cancel();
    expiry.release();
  }
}

/**
 * Returns the promise's outcome, or rejects with the signal's reason if it aborts first: for calls without support for
 * signals.
 */
export function orAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
