// Wait requested by a provider, from any place of its failure.
//
// Sources: RFC 9110 (Retry-After), google.rpc.RetryInfo, the pages on rate limits of OpenAI, Anthropic and Groq, and
// received answers; looked up in November 2026.
import { fieldsOf, isFields, listOf, textOf } from "./wire.ts";

type Headers = { get(name: string): string | null };

/** Places of a failure that may name a wait. */
export type WaitPlaces = {
  readonly headers?: Headers | undefined;
  /** The error as the provider wrote it, parsed. */
  readonly body?: unknown;
  readonly message: string;
};

/**
 * Returns the wait in milliseconds, rounded up; undefined if the provider names none. `nowMs` is the time to read dates
 * with.
 */
export function askedWaitMs(places: WaitPlaces, nowMs: number): number | undefined {
  const { headers, body, message } = places;
  const ms =
    (headers && headerWaitMs(headers, nowMs)) ??
    detailWaitMs(body) ??
    messageWaitMs(message) ??
    (headers && resetWaitMs(headers, nowMs));
  return ms === undefined ? undefined : Math.max(0, Math.ceil(ms));
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date. */
function headerWaitMs(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = headers.get("retry-after")?.trim() ?? "";
  if (text === "") return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1000;
  // The answer's own date, if present, prevents a wrong local clock from stretching the wait.
  const sentAtMs = Date.parse(headers.get("date") ?? "");
  const untilMs = Date.parse(text);
  return Number.isNaN(untilMs) ? undefined : untilMs - (Number.isNaN(sentAtMs) ? nowMs : sentAtMs);
}

/** Google's `RetryInfo` among the details of an error. */
function detailWaitMs(body: unknown): number | undefined {
  for (const detail of listOf(fieldsOf(body)["details"])) {
    if (!isFields(detail)) continue;
    const ms = durationMs(textOf(detail["retryDelay"]));
    if (ms !== undefined) return ms;
  }
  return undefined;
}

/** "Please try again in 3.2s", "Please retry in 34.07s", "Try again in 1m12.5s". */
function messageWaitMs(message: string): number | undefined {
  const named = /\b(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s?(?:ms|h|m|s)[a-z]*\s?)+)/i;
  return durationMs(named.exec(message.slice(0, 4_000))?.[1] ?? "");
}

/** Returns the latest reset of the exhausted limits, else of all limits. */
function resetWaitMs(headers: Headers, nowMs: number): number | undefined {
  const limits = LIMIT_HEADERS.map(([remaining, reset]) => ({
    isUsedUp: headers.get(remaining) === "0",
    ms: resetMs(headers.get(reset) ?? "", nowMs),
  })).filter(({ ms }) => ms !== undefined);
  const used = limits.filter(({ isUsedUp }) => isUsedUp);
  const waits = (used.length > 0 ? used : limits).map(({ ms }) => ms ?? 0);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

const LIMIT_HEADERS = [
  ["x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
  ["x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
  ["anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"],
  ["anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"],
  ["x-ratelimit-remaining", "x-ratelimit-reset"],
] as const;

/** A duration ("6m0s"), a date, seconds, or an instant in seconds or milliseconds since the epoch. */
function resetMs(text: string, nowMs: number): number | undefined {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  if (number >= 1e12) return number - nowMs;
  if (number >= 1e9) return number * 1000 - nowMs;
  if (number >= 0) return number * 1000;
  const untilMs = /\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(untilMs) ? durationMs(text) : untilMs - nowMs;
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** "34s", "1m12.5s", "500ms", "6 minutes". */
function durationMs(text: string): number | undefined {
  let sum: number | undefined;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s?(ms|h|m|s)/gi))
    sum = (sum ?? 0) + Number(count) * (UNIT_MS[unit?.toLowerCase() ?? ""] ?? 0);
  return sum;
}
