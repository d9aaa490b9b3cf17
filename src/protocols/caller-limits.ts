// Limits for callers from outside, counted in storage by caller and subject.
//
//   CL1. A call counts before anything is started, once, also if it is refused.
//   CL2. A refusal includes the time of the next permitted call, in the form of each protocol.
import { EngineError } from "../base/error.ts";
import type { Clock } from "../base/clock.ts";
import { preview } from "../base/json.ts";

/**
 * Rate limits of one caller for one subject. Callers are identified by their keys; those without a key count as one.
 */
export type CallerLimits = {
  /** @default no limit */
  readonly perMinute?: number;
  /** Per day from midnight, UTC. @default no limit */
  readonly perDay?: number;
};

/** Caller and subject of a call. */
export type LimitedCall = {
  readonly tenant: string;
  readonly callerId: string;
  /** Called subject, such as `crew/briefing`. */
  readonly subject: string;
};

/** Counts of calls. */
export interface CallerCounts {
  /**
   * Counts a call within a window of time, and returns the number of calls including it. Times are milliseconds since
   * the epoch.
   */
  add(
    call: LimitedCall,
    window: { readonly startMs: number; readonly lengthMs: number },
  ): Promise<number>;
  /** Deletes windows that began before this time. */
  prune(beforeMs: number): Promise<void>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Fails with `invalid_definition`. */
export function checkLimits(limits: CallerLimits): CallerLimits {
  for (const name of ["perMinute", "perDay"] as const) {
    const limit = limits[name];
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1))
      throw new EngineError(
        "invalid_definition",
        `limits.${name} must be an integer >= 1, got ${preview(limit)}`,
      );
  }
  return limits;
}

/** Counts a call. Fails with `rate_limited` beyond a limit, with the time of the next permitted call. */
export async function countCall(
  call: LimitedCall,
  limits: CallerLimits,
  { counts, clock }: { readonly counts: CallerCounts; readonly clock: Clock },
): Promise<void> {
  const nowMs = clock.now();
  const windows = [
    { limit: limits.perMinute, lengthMs: MINUTE_MS, name: "minute" },
    { limit: limits.perDay, lengthMs: DAY_MS, name: "day" },
  ];
  for (const { limit, lengthMs, name } of windows) {
    if (limit === undefined) continue;
    const startMs = nowMs - (nowMs % lengthMs);
    const calls = await counts.add(call, { startMs, lengthMs });
    if (calls <= limit) continue;
    const retryAfterMs = startMs + lengthMs - nowMs;
    throw new EngineError(
      "rate_limited",
      `${call.subject} may be called ${limit} times a ${name} with this key: call again in ${Math.ceil(retryAfterMs / 1000)} s`,
      { retryable: true, retryAfterMs },
    );
  }
}
