// Retries: whether a step that failed is tried again, and when. The one place that decides it.
//
//   RTY1. What trying again cannot mend is not tried again. Any other failure is, `maxAttempts` executions in all.
//   RTY2. A server that is away (`isAway`) is waited for, as long as the policy and the run's `outageMs` say, however many tries that
//        takes: they do not count as attempts. A wait that the server asks for and that goes beyond this ends it.
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
  /** A longer `Retry-After` is not waited for: the step fails and says so. */
  readonly maxRetryAfterMs: number;
  /** Whether a server that is away is waited for, as long as the run's limits say (RTY2). @default false */
  readonly waitsOutage?: boolean;
};

/** An outage that a step has met: when it began, in milliseconds since the epoch, and how many tries have failed since. */
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

/** As `DEFAULT_RETRY`, for calls of servers without which a run cannot go on: models and embedders. */
export const WAITING_RETRY: RetryPolicy = { ...DEFAULT_RETRY, waitsOutage: true };

const AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model_unavailable",
  "model_rate_limited",
  "unavailable",
]);

/** True for the failures of a server that cannot answer now: it is down, still loads, or has no room. */
export function isAway(error: unknown): boolean {
  return EngineError.is(error) && error.retryable && AWAY.has(error.code);
}

/** A failed execution, and how many the step has had, this one included. */
export type Failure = { readonly error: unknown; readonly attempt: number; readonly key: string };

/** Wait before attempt `attempt + 1`, in milliseconds; undefined when there is none (RTY1). */
export function retryDelayMs(policy: RetryPolicy, failure: Failure): number | undefined {
  const { error, attempt } = failure;
  if (!EngineError.is(error) || !error.retryable || attempt >= policy.maxAttempts) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined)
    return retryAfterMs <= policy.maxRetryAfterMs ? retryAfterMs : undefined;
  return growingMs(policy, failure.key, attempt);
}

/** Wait of a step for a server that is away, with the outage that it is in. */
export type OutageWait = Outage & { readonly delayMs: number };

/** Time, as outages are measured: now, in milliseconds since the epoch, and the longest that one is waited for. */
export type OutageTime = { readonly nowMs: number; readonly outageMs: number };

/** The wait for a server that is away; undefined when it is over (RTY2). `before` is the outage that the step has been in. */
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

/** The wait grows, and is spread by up to a quarter, by `key`: runs that failed together do not return together. */
function growingMs({ maxDelayMs, initialDelayMs }: RetryPolicy, key: string, nth: number): number {
  const delay = Math.min(maxDelayMs, initialDelayMs * 2 ** (nth - 1));
  return Math.round(delay * (1 + fraction(`${key}#${nth}`) / 4));
}

/** The error of a step whose server stayed away. What encloses the step does not try again. */
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
