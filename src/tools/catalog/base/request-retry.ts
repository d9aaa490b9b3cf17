import type { RetryPolicy } from "../../../base/retry.ts";

/** Three requests, one and two seconds apart and up to a quarter more; what a service asks to wait, up to a minute. */
export const REQUEST_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1000,
  maxDelayMs: 2000,
  maxRetryAfterMs: 60_000,
};
