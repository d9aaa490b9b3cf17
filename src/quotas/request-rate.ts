// Request rates of tenants and keys.
import type { Clock } from "../base/clock.ts";
import { HttpError } from "../parts/problem.ts";
import { quotaExceeded } from "./quota-exceeded.ts";

const MINUTE_MS = 60_000;
const MAX_KEPT = 10_000;

/** A rate-limiting binding of Cloudflare. */
export interface RateLimit {
  limit(of: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Counts requests in this isolate, minute by minute. Other isolates count their own. */
export class RequestRate {
  readonly #clock: Clock;
  #minute = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Fails with `quota_exceeded`. */
  check(tenant: string, limit: number): void {
    const nowMs = this.#clock.now();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute || this.#counts.size > MAX_KEPT) this.#counts = new Map();
    this.#minute = minute;
    const used = this.#counts.get(tenant) ?? 0;
    if (used >= limit) throw this.#exceeded(limit, used);
    this.#counts.set(tenant, used + 1);
  }

  /** Asks the binding, for the tenant and for the key. It does not report the present use. */
  async checkBinding(
    binding: RateLimit,
    { tenant, callerId }: { readonly tenant: string; readonly callerId: string },
  ): Promise<void> {
    const keys = [`tenant:${tenant}`, ...(callerId === "" ? [] : [`key:${callerId}`])];
    const answers = await Promise.all(keys.map((key) => binding.limit({ key })));
    if (answers.every(({ success }) => success)) return;
    throw new HttpError("quota_exceeded", "this tenant, or this key, asks too often", {
      retryAfterMs: MINUTE_MS,
      facts: { quota: "requestsPerMinute" },
    });
  }

  #exceeded(limit: number, used: number): Error {
    const nowMs = this.#clock.now();
    const resetsAtMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
    return quotaExceeded("requestsPerMinute", { limit, used, resetsAtMs, nowMs });
  }
}
