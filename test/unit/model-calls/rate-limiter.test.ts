import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimiter } from "../../../src/model-calls/rate-limiter.ts";

describe("RateLimiter", () => {
  it("AW8: lets requests go until the limit, then each as soon as one of the last minute is a minute old", () => {
    const limiter = new RateLimiter(2);
    const at = (nowMs: number): number | undefined => limiter.reserve(nowMs).at(-1);
    expect([at(0), at(20_000), at(30_000), at(30_000), at(30_000)]).toEqual([
      0, 20_000, 60_000, 80_000, 120_000,
    ]);
  });

  it("AW8: never exceeds the limit within a minute, also when it continues from stored reservations", () => {
    const requests = fc.array(fc.record({ afterMs: fc.nat(40_000), restart: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), requests, (limit, list) => {
        let limiter = new RateLimiter(limit);
        let nowMs = 0;
        const times: number[] = [];
        for (const { afterMs, restart } of list) {
          nowMs += afterMs;
          const recorded = limiter.reserve(nowMs);
          times.push(recorded.at(-1) ?? nowMs);
          if (!restart) continue;
          limiter = new RateLimiter(limit);
          limiter.restore(recorded);
        }
        const gaps = times.slice(limit).map((time, index) => time - (times[index] ?? 0));
        expect(gaps.every((gapMs) => gapMs >= 60_000)).toBe(true);
      }),
    );
  });
});
