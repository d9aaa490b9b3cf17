import { expect, it } from "vitest";
import { compositeScore } from "../../../src/memory/composite-score.ts";
import { memorySettings } from "../../../src/memory/memory-options.ts";
import { MemoryMatch } from "../../../src/memory/memory-record.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");

it.each([
  [1, 0, 1, 1, "semantic recency importance"],
  [0.9, 0, 0.5, 0.85, "semantic recency"],
  [0.9, 30, 0.5, 0.7, "semantic"],
  [0.9, 29.9, 0.51, 0.7023, "semantic recency importance"],
  [0.8, 7, 0.9, 0.8352, "semantic recency importance"],
  [0.6, 90, 1, 0.5375, "semantic importance"],
  [0.4, 365, 0.2, 0.2401, "semantic"],
  [0, 0, 0, 0.3, "semantic recency"],
])("similarity %d, %d days old, importance %d: %d", (...row) => {
  const [similarity, ageDays, importance, expected, reasons] = row;
  const createdAt = new Date(NOW - ageDays * 86_400_000).toISOString();
  const { score, matchReasons } = compositeScore(
    { similarity, record: { createdAt, importance } },
    NOW,
    memorySettings({}),
  );
  expect(score).toBeCloseTo(expected, 4);
  expect(matchReasons.join(" ")).toBe(reasons);
});

it("other weights and another half-life", () => {
  const createdAt = new Date(NOW - 10 * 86_400_000).toISOString();
  const weights = { semanticWeight: 0.6, recencyWeight: 0.2, importanceWeight: 0.2 };
  const settings = memorySettings({ ...weights, recencyHalfLifeDays: 7 });
  const { score } = compositeScore(
    { similarity: 0.7, record: { createdAt, importance: 0.5 } },
    NOW,
    settings,
  );
  expect(score).toBeCloseTo(0.5943, 4);
});

it("does not let a record made in the future count more than one made now", () => {
  const createdAt = new Date(NOW + 1e10).toISOString();
  expect(
    compositeScore({ similarity: 0, record: { createdAt, importance: 0 } }, NOW, memorySettings({}))
      .score,
  ).toBe(0.3);
});

it("shows a match with its score, categories and metadata", () => {
  const at = new Date(NOW).toISOString();
  const match = new MemoryMatch({
    record: {
      id: "1",
      content: "Tea is at four.",
      scope: "/",
      categories: ["time", "food"],
      metadata: { topics: ["tea", "time"], gone: null, count: 4, deep: { a: 1 } },
      importance: 0.5,
      createdAt: at,
      lastAccessed: at,
      private: false,
    },
    score: 0.849,
    matchReasons: ["semantic"],
    evidenceGaps: [],
  });
  expect(match.format()).toBe(
    '- (score=0.85) Tea is at four.\n  categories: time, food\n  topics: tea, time\n  count: 4\n  deep: {"a":1}',
  );
});
