import type { RetryPolicy } from "../../../base/retry.ts";

/**
 * Three requests, one and two seconds apart plus up to a quarter. A delay requested by the service is followed up to a
 * minute.
 */
export const REQUEST_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1000,
  maxDelayMs: 2000,
  maxRetryAfterMs: 60_000,
};
