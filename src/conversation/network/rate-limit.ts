// Rate limit of a sender: a token bucket.

/** A limit: an average number per minute, and a number at once. */
export type RateLimit = {
  /** Number per minute; 0 is no limit. */
  readonly perMinute: number;
  /** Number of messages at once; 0 is the number per minute. */
  readonly burst: number;
};

/** Level of a bucket at a time. */
export type RateState = { readonly tokens: number; readonly atMs: number };

/** A limit applied to one more message. */
export type RateDecision =
  | { readonly isAllowed: true; readonly state: RateState | undefined }
  | { readonly isAllowed: false; readonly state: RateState; readonly retryAfterMs: number };

/** Takes one token, if available. A clock moved back adds no tokens. */
export function takeToken(
  { perMinute, burst }: RateLimit,
  state: RateState | undefined,
  nowMs: number,
): RateDecision {
  if (perMinute <= 0) return { isAllowed: true, state: undefined };
  const most = burst > 0 ? burst : perMinute;
  const elapsedMs = Math.max(0, nowMs - (state?.atMs ?? nowMs));
  const tokens = Math.min(most, (state?.tokens ?? most) + (elapsedMs * perMinute) / 60_000);
  const atMs = Math.max(nowMs, state?.atMs ?? nowMs);
  if (tokens >= 1) return { isAllowed: true, state: { tokens: tokens - 1, atMs } };
  const retryAfterMs = Math.ceil(((1 - tokens) * 60_000) / perMinute);
  return { isAllowed: false, state: { tokens, atMs }, retryAfterMs };
}
