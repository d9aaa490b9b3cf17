import { EngineError } from "./error.ts";
import { fraction } from "./hash.ts";

/** When a failed step is tried again, and after how long. */
export type RetryPolicy = {
  /** Executions in all, the first one included. Integer >= 1. */
  readonly maxAttempts: number;
  /** Wait before the second attempt, in milliseconds; doubles with each further one. */
  readonly initialDelayMs: number;
  /** No wait is longer, unless the other side asks for it (see `maxRetryAfterMs`). */
  readonly maxDelayMs: number;
  /** A longer `Retry-After` is not waited for: the step fails and says so. */
  readonly maxRetryAfterMs: number;
};

export const NO_RETRY: RetryPolicy = {
  maxAttempts: 1,
  initialDelayMs: 0,
  maxDelayMs: 0,
  maxRetryAfterMs: 0,
};

/** Three executions, about half a second and a second apart; waits up to five minutes when asked to. */
export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 300_000,
};

/**
 * How long to wait before attempt `attempt + 1`, in milliseconds; undefined when there shall be none.
 * The wait is spread by up to a quarter, by `key`, so that runs that failed together do not return together.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  failure: { error: unknown; attempt: number; key: string },
): number | undefined {
  const { error, attempt, key } = failure;
  if (!EngineError.is(error) || !error.retryable || attempt >= policy.maxAttempts) return undefined;
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= policy.maxRetryAfterMs ? error.retryAfterMs : undefined;
  }
  const delay = Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** (attempt - 1));
  return Math.round(delay * (1 + fraction(`${key}#${attempt}`) / 4));
}
