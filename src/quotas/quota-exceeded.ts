import { isoTime } from "../base/clock.ts";
import { HttpError } from "../parts/problem.ts";
import type { QuotaName } from "./quota-options.ts";

/** Makes the error. `resetsAtMs` is the time of the quota's reset; absent if only a deletion or an end makes room. */
export function quotaExceeded(
  quota: QuotaName,
  {
    limit,
    used,
    resetsAtMs,
    nowMs,
  }: {
    readonly limit: number;
    readonly used: number;
    readonly resetsAtMs?: number | undefined;
    readonly nowMs: number;
  },
): HttpError {
  const resets = resetsAtMs === undefined ? undefined : isoTime(resetsAtMs);
  const waitMs = resetsAtMs === undefined ? 60_000 : Math.max(1_000, resetsAtMs - nowMs);
  const message = `the quota ${quota} of this tenant is ${limit}, and ${used} are used${
    resets === undefined ? "" : `; it begins again at ${resets}`
  }`;
  return new HttpError("quota_exceeded", message, {
    retryAfterMs: waitMs,
    facts: { quota, limit, used, ...(resets === undefined ? undefined : { resetsAt: resets }) },
  });
}
