import { describe, expect, it } from "vitest";
import { askedWaitMs } from "../../../src/llm/asked-wait.ts";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const wait = (headers: Record<string, string>, message = "", body?: unknown): number | undefined =>
  askedWaitMs({ headers: new Headers(headers), message, body }, NOW);

describe("askedWaitMs", () => {
  it.each([
    [{ "retry-after-ms": "1500.2" }, 1501],
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Sun, 29 Nov 2026 12:00:07 GMT" }, 7_000],
    [{ "retry-after": "Sun, 29 Nov 2026 11:00:00 GMT" }, 0],
    [
      { "retry-after": "Sun, 29 Nov 2026 13:00:09 GMT", date: "Sun, 29 Nov 2026 13:00:00 GMT" },
      9_000,
    ],
    // OpenAI and Groq
    [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, 360_000],
    [
      {
        "x-ratelimit-remaining-requests": "9",
        "x-ratelimit-reset-requests": "2h",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "7.66s",
      },
      7_660,
    ],
    [{ "x-ratelimit-reset-requests": "17ms", "x-ratelimit-reset-tokens": "1s" }, 1_000],
    // Anthropic
    [{ "anthropic-ratelimit-tokens-reset": "2026-11-29T12:00:42Z" }, 42_000],
    // OpenRouter and others: an instant, or seconds
    [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 5_000) }, 5_000],
    [{ "x-ratelimit-reset": String(NOW / 1_000 + 5) }, 5_000],
    [{ "x-ratelimit-reset": "12" }, 12_000],
    [{}, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "x-ratelimit-reset": "soon" }, undefined],
  ])("reads %o", (headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });

  it.each([
    ["Rate limit reached for gpt-4o … Please try again in 3.2s. Visit …", 3_200],
    ["Please try again in 1m12.5s.", 72_500],
    ["Please try again in 640ms.", 640],
    ["Please retry in 34.074824224s.", 34_075],
    ["Try again in 6 minutes", 360_000],
    ["Please try again later", undefined],
    ["Please retry in a while", undefined],
  ])("reads the message %o", (message, expected) => {
    expect(wait({}, message)).toBe(expected);
  });

  it("reads Google's RetryInfo", () => {
    const details = [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [] },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" },
    ];
    expect(wait({}, "You exceeded your current quota", { details })).toBe(34_000);
  });

  it("prefers a header of the answer to its words, and these to resets of limits", () => {
    const reset = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s" };
    expect(wait({ ...reset, "retry-after": "1" }, "try again in 5s")).toBe(1_000);
    expect(wait(reset, "try again in 5s")).toBe(5_000);
  });
});
