import { expect, it } from "vitest";
import { failureOfStatus } from "../../../../../src/tools/catalog/base/service-failure.ts";
import type { JsonValue } from "../../../../../src/base/json.ts";

function waitOf(body: JsonValue, headers = {}): number | undefined {
  return failureOfStatus({
    status: 429,
    headers: new Headers(headers),
    body,
    service: "It",
    nowMs: 0,
  }).retryAfterMs;
}

it.each([
  [{ error: { message: "enough", retry_after_seconds: 3600 } }, 3_600_000], // Tavily
  [{ message: "You are being rate limited.", retry_after: 0.65 }, 650], // Discord
  [{ ok: false, parameters: { retry_after: 5 } }, 5000], // Telegram
  [{ retry_after: 1e12 }, 86_400_000],
  [{ retry_after: "soon" }, undefined],
  ["slow down", undefined],
])("reads how long to wait in %j", (body, expected) => {
  expect(waitOf(body)).toBe(expected);
});

it("believes the header first", () => {
  expect(waitOf({ retry_after: 9 }, { "retry-after": "2" })).toBe(2000);
});

it("limits a retry-after header to a day", () => {
  expect(waitOf("slow down", { "retry-after": "999999" })).toBe(86_400_000);
  expect(waitOf("slow down", { "retry-after": "Fri, 01 Jan 2100 00:00:00 GMT" })).toBe(86_400_000);
  expect(waitOf("slow down", { "retry-after": "soon" })).toBeUndefined();
});
