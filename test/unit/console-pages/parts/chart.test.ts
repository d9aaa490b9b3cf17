import { expect, it } from "vitest";
import { labelled, marksOf } from "../../../../console/parts/chart/scale.ts";
import { trendsOf } from "../../../../console/parts/chart/trends.ts";

it.each([
  [16_251, "count", [0, 5000, 10_000, 15_000, 20_000]],
  [12, "count", [0, 5, 10, 15]],
  [1, "count", [0, 1]],
  [0.0037, "amount", [0, 0.001, 0.002, 0.003, 0.004]],
  [3_500, "time", [0, 1000, 2000, 3000, 4000]],
  [200_000, "time", [0, 60_000, 120_000, 180_000, 240_000]],
  [100 * 3_600_000, "time", [0, 2, 4, 6].map((days) => days * 86_400_000)],
  [0, "count", [0]],
] as const)("marks a scale up to %d (%s) with round numbers", (most, unit, marks) => {
  expect(marksOf(most, unit).map((mark) => Number(mark.toPrecision(12)))).toEqual(marks);
});

it("labels the last bar whatever the number of bars", () => {
  expect(labelled(30, 10).at(-1)).toBe(29);
  expect(labelled(14, 4)).toEqual([1, 5, 9, 13]);
  expect(labelled(0, 4)).toEqual([]);
});

it("charts success, average duration, tokens and cost, with a bar for days without runs", () => {
  const nowMs = Date.parse("2026-11-30T15:00:00Z");
  const run = { completed: 0, failed: 0, cancelled: 0, runMs: 0 };
  const trends = trendsOf(
    {
      runs: [
        { ...run, at: "2026-11-29T00:00:00.000Z", completed: 3, failed: 1, runMs: 8_000 },
        { ...run, at: "2026-11-30T00:00:00.000Z", completed: 1, runMs: 7_000 },
      ],
      usage: [{ at: "2026-11-30T00:00:00.000Z", totalTokens: 1_500, costUsd: 0.02 }],
    },
    nowMs,
  );
  expect(trends.map(({ label, total, note }) => [label, total, note])).toEqual([
    ["Runs that ended", "5", "80 % completed"],
    ["Average duration", "3.0 s", undefined],
    ["Tokens", "1,500", undefined],
    ["Cost", "$0.02", undefined],
  ]);
  const [ended, duration] = trends;
  expect(ended?.bars).toHaveLength(14);
  expect(ended?.bars.slice(-3).map(({ at, text }) => [at, text])).toEqual([
    ["2026-11-28", ""],
    ["2026-11-29", "3 completed, 1 failed"],
    ["2026-11-30", "1 completed"],
  ]);
  expect(duration?.bars.at(-2)?.text).toBe("2.0 s");
});
