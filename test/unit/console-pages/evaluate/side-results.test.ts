import { expect, it } from "vitest";
import { sideResults, totalsOf } from "../../../../console/pages/evaluate/side-results.ts";
import type { RunRow } from "../../../../console/api-types.ts";

const child = (id: string, costUsd: number, durationMs: number): RunRow => ({
  id,
  kind: "crew",
  name: "tea",
  status: "completed",
  createdAt: "",
  updatedAt: "",
  waits: 0,
  durationMs,
  usage: { tokens: 1, costUsd, requests: 1 },
});

it("puts the runs of a batch in the order of its inputs, and adds them up (CO26)", () => {
  const results = sideResults(
    [
      { index: 1, status: "failed", runId: "b", error: { message: "no" } },
      { index: 0, status: "completed", runId: "a", output: { raw: "A" } },
      { index: 2, status: "completed" },
    ],
    [child("a", 0.1, 100), child("b", 0.3, 300)],
  );
  expect(results.map(({ item }) => item.index)).toEqual([0, 1, 2]);
  expect(totalsOf(results)).toEqual({ failed: 1, costUsd: 0.4, durationMs: 200 });
  expect(totalsOf([])).toEqual({ failed: 0, costUsd: undefined, durationMs: undefined });
});
