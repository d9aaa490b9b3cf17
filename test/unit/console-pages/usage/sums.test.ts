import { expect, it } from "vitest";
import {
  barsOf,
  byGroup,
  csvOf,
  readUsageQuery,
  shownMeasure,
  totalOf,
  withoutPrice,
} from "../../../../console/pages/usage/sums.ts";
import type { UsageSum } from "../../../../src/usage/usage-sums.ts";

const sum = (
  at: string,
  group: string,
  [tokens, costUsd]: readonly [number, number],
): UsageSum => ({
  at,
  group,
  requests: 1,
  promptTokens: tokens / 2,
  completionTokens: tokens / 2,
  totalTokens: tokens,
  costUsd,
});

const ITEMS = [
  sum("2026-11-01T00:00:00.000Z", "openai/gpt-5-mini", [100, 0.5]),
  sum("2026-11-03T00:00:00.000Z", "openai/gpt-5-mini", [200, 1]),
  sum("2026-11-03T00:00:00.000Z", "ollama/mine", [4000, 0]),
  sum("2026-11-03T00:00:00.000Z", "offline/demo", [10, 0]),
];

it("puts groups in the order of their cost, with sums that equal the whole (CO27)", () => {
  const groups = byGroup(ITEMS);
  expect(groups.map(({ label }) => label)).toEqual([
    "openai/gpt-5-mini",
    "ollama/mine",
    "offline/demo",
  ]);
  expect(groups.reduce((tokens, { totals }) => tokens + totals.totalTokens, 0)).toBe(
    totalOf(ITEMS).totalTokens,
  );
});

it("has a bar for each day, also for one without runs (CO27)", () => {
  const bars = barsOf(ITEMS, {
    fromMs: Date.parse("2026-11-01T00:00:00Z"),
    toMs: Date.parse("2026-11-03T12:00:00Z"),
    by: "day",
  });
  expect(bars.map(({ at, totals }) => [at, totals.totalTokens])).toEqual([
    ["2026-11-01", 100],
    ["2026-11-02", 0],
    ["2026-11-03", 4210],
  ]);
});

it("names models without a known price, except the built-in one (CO27)", () => {
  expect(withoutPrice(ITEMS)).toEqual(["ollama/mine"]);
});

it("writes a file for spreadsheets with numbers and texts, and never with formulas (CO27)", () => {
  const [head, ...rows] = csvOf(
    [sum("2026-11-01", '=cmd|"x"', [2, 0.25]), sum("2026-11-01", "a,b", [2, 0])],
    "model",
  ).split("\r\n");
  expect(head).toBe("at,model,requests,promptTokens,completionTokens,totalTokens,costUsd");
  expect(rows[0]).toBe(`2026-11-01,"'=cmd|""x""",1,1,1,2,0.25`);
  expect(rows[1]).toBe('2026-11-01,"a,b",1,1,1,2,0');
});

it("drops unknown parts of an address, and names them (CO27)", () => {
  expect(readUsageQuery({ period: "9d", by: "hour", group: "model" })).toEqual({
    period: "30d",
    by: "day",
    group: "model",
    show: undefined,
    dropped: ["period", "by"],
  });
});

it("opens on tokens when nothing had a price, and on cost otherwise", () => {
  expect(readUsageQuery({}).show).toBeUndefined();
  expect(shownMeasure(totalOf(ITEMS))).toBe("cost");
  expect(shownMeasure(totalOf([sum("2026-11-03T00:00:00.000Z", "offline/demo", [10, 0])]))).toBe(
    "tokens",
  );
  expect(shownMeasure(totalOf([]))).toBe("cost");
});
