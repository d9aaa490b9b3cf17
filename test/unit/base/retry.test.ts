import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { DEFAULT_RETRY, NO_RETRY, retryDelayMs } from "../../../src/base/retry.ts";

const busy = (retryAfterMs?: number): EngineError =>
  new EngineError("model_rate_limited", "busy", { retryable: true, retryAfterMs });
const delay = (attempt: number, key = "k", error: unknown = busy()) =>
  retryDelayMs(DEFAULT_RETRY, { error, attempt, key });

describe("the delay before another attempt", () => {
  it("doubles with each attempt, spread by up to a quarter", () => {
    for (let n = 0; n < 200; n++) {
      const [first, second] = [delay(1, `key:${n}`) ?? 0, delay(2, `key:${n}`) ?? 0];
      expect(first >= 500 && first <= 625).toBe(true);
      expect(second >= 1000 && second <= 1250).toBe(true);
    }
  });

  it("is the same for the same step and attempt, and differs between steps", () => {
    expect(delay(1, "a")).toBe(delay(1, "a"));
    expect(
      new Set(Array.from({ length: 100 }, (_, n) => delay(1, `run-${n}:a`))).size,
    ).toBeGreaterThan(40);
  });

  it("ends after the last attempt", () => {
    expect(delay(3)).toBeUndefined();
    expect(retryDelayMs(NO_RETRY, { error: busy(), attempt: 1, key: "k" })).toBeUndefined();
  });

  it("RTY1: is undefined for permanent and unexpected errors", () => {
    expect(delay(1, "k", new EngineError("model_rejected", "no"))).toBeUndefined();
    expect(delay(1, "k", new Error("a bug"))).toBeUndefined();
  });

  it("is never much longer than the policy's longest", () => {
    const policy = { ...DEFAULT_RETRY, maxAttempts: 50 };
    for (let attempt = 1; attempt < 50; attempt++)
      expect(retryDelayMs(policy, { error: busy(), attempt, key: "k" })).toBeLessThanOrEqual(
        policy.maxDelayMs * 1.25,
      );
  });

  it("is exactly the delay requested by the other side", () => {
    expect(delay(1, "k", busy(0))).toBe(0);
    expect(delay(2, "k", busy(42_000))).toBe(42_000);
    expect(delay(1, "k", busy(DEFAULT_RETRY.maxRetryAfterMs))).toBe(DEFAULT_RETRY.maxRetryAfterMs);
  });

  it("is undefined when the other side requests more than the limit", () => {
    expect(delay(1, "k", busy(DEFAULT_RETRY.maxRetryAfterMs + 1))).toBeUndefined();
  });
});
