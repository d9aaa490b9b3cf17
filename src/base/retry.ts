// Retries: decides if and when a failed step is tried again. No other code decides it.
//
//   RTY1. A failure that another attempt cannot fix is final. Any other failure is retried, up to `maxAttempts`
//         executions in all.
//   RTY2. A step waits for an unavailable server (`isAway`) within its policy and the run's `outageMs`, with any number
//         of attempts: they do not count towards `maxAttempts`. A wait requested by the server beyond this limit ends
//         it.
import { EngineError, errorMessage, type ErrorCode } from "./error.ts";
import { fraction } from "./hash.ts";

/** When a failed step is tried again, and after how long. */
export type RetryPolicy = {
  /** Executions in all, the first one included. Integer >= 1. */
  readonly maxAttempts: number;
  /** Wait before the second attempt, in milliseconds; doubles with each further one. */
  readonly initialDelayMs: number;
  /** No wait is longer, unless the other side asks for it (see `maxRetryAfterMs`). */
  readonly maxDelayMs: number;
  /** Longest accepted `Retry-After`. With a longer one the step fails and the error names it. */
  readonly maxRetryAfterMs: number;
  /** True if the step waits for an unavailable server, within the run's limits (RTY2). @default false */
  readonly waitsOutage?: boolean;
};

/** An outage met by a step: its beginning in milliseconds since the epoch, and the number of failed attempts since. */
export type Outage = { readonly sinceMs: number; readonly tries: number };

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

/** `DEFAULT_RETRY` for calls of servers a run cannot continue without: models and embedders. */
export const WAITING_RETRY: RetryPolicy = { ...DEFAULT_RETRY, waitsOutage: true };

const AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model_unavailable",
  "model_rate_limited",
  "unavailable",
]);

/** True for failures of a server that cannot answer now: it is down, still loads, or is overloaded. */
export function isAway(error: unknown): boolean {
  return EngineError.is(error) && error.retryable && AWAY.has(error.code);
}

/** A failed execution, and how many the step has had, this one included. */
export type Failure = { readonly error: unknown; readonly attempt: number; readonly key: string };

/** Returns the delay before attempt `attempt + 1`, in milliseconds; undefined if the step is not tried again (RTY1). */
export function retryDelayMs(policy: RetryPolicy, failure: Failure): number | undefined {
  const { error, attempt } = failure;
  if (!EngineError.is(error) || !error.retryable || attempt >= policy.maxAttempts) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined)
    return retryAfterMs <= policy.maxRetryAfterMs ? retryAfterMs : undefined;
  return growingMs(policy, failure.key, attempt);
}

/** Wait of a step for an unavailable server, with its outage. */
export type OutageWait = Outage & { readonly delayMs: number };

/** Time limits of an outage: now, in milliseconds since the epoch, and the longest wait. */
export type OutageTime = { readonly nowMs: number; readonly outageMs: number };

/**
 * Returns the wait for an unavailable server; undefined once it is over (RTY2). `before` is the current outage of the
 * step.
 */
export function outageWait(
  policy: RetryPolicy,
  { key, error, before }: { key: string; error: EngineError; before: Outage | undefined },
  { nowMs, outageMs }: OutageTime,
): OutageWait | undefined {
  const { sinceMs, tries } = before ?? { sinceMs: nowMs, tries: 0 };
  const leftMs = sinceMs + outageMs - nowMs;
  const wantedMs = error.retryAfterMs ?? growingMs(policy, key, tries + 1);
  if (leftMs <= 0 || (error.retryAfterMs ?? 0) > leftMs) return undefined;
  // The last try is made when the time is over.
  return { delayMs: Math.min(wantedMs, leftMs), sinceMs, tries: tries + 1 };
}

/** Returns a growing delay, spread by up to a quarter by `key`: runs that failed together do not return together. */
function growingMs({ maxDelayMs, initialDelayMs }: RetryPolicy, key: string, nth: number): number {
  const delay = Math.min(maxDelayMs, initialDelayMs * 2 ** (nth - 1));
  return Math.round(delay * (1 + fraction(`${key}#${nth}`) / 4));
}

/** Builds the error of a step whose server stayed unavailable. Enclosing steps do not try again. */
export function stayedAway(
  error: EngineError,
  { sinceMs, tries }: Outage,
  { nowMs, outageMs }: OutageTime,
): EngineError {
  const { retryAfterMs } = error;
  const asked = retryAfterMs === undefined ? "" : `, and asks for ${inSeconds(retryAfterMs)} more`;
  const times = tries === 0 ? "once" : `${tries + 1} times in ${inSeconds(nowMs - sinceMs)}`;
  const message = `${errorMessage(error)} (asked ${times}${asked}; limits.outageMs is ${outageMs})`;
  const code = error.code === "unavailable" ? "unavailable" : "model_unavailable";
  return new EngineError(code, message, { cause: error });
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
