import { expect, it } from "vitest";
import { countsOf, reportOf, summaryOf, type PartOutcome } from "../../world/outcome.ts";
import { PARTS } from "../../world/parts.ts";
import { fillFigures, readFigures } from "../../world/record.ts";
import { explain, tableOf, type AcceptedDifference } from "../../world/support/accepted.ts";
import { Random } from "../../world/support/random.ts";

const OUTCOMES: readonly PartOutcome[] = [
  {
    name: "flows",
    state: "ran",
    seconds: 9,
    result: {
      upstream: "CrewAI 1",
      tried: 10,
      passed: 7,
      differences: { F1: 2 },
      failures: [{ id: "f3", message: "ran twice" }],
    },
  },
  { name: "kit", state: "absent", reason: "no network" },
  { name: "model", state: "broken", seconds: 3, reason: "not over" },
];

it("counts explained programs as passed, absent parts not at all, broken parts as failed", () => {
  expect(OUTCOMES.map(countsOf)).toEqual([
    { passed: 9, failed: 1 },
    { passed: 0, failed: 0 },
    { passed: 0, failed: 1 },
  ]);
  expect(reportOf(OUTCOMES)).toMatchObject({ numPassedTests: 9, numFailedTests: 2 });
});

it("lists in one line the parts run and not run", () => {
  expect(summaryOf(OUTCOMES)).toBe("ran: flows; absent: kit; broken: model");
});

const ROWS: readonly AcceptedDifference<string>[] = [
  {
    id: "A",
    upstream: "Says a | b",
    ours: "Says b",
    verdict: "decision",
    page: "crews.md#inputs",
    matches: (difference) => difference === "a",
  },
];

it("explains a program only when every difference of it has a row", () => {
  const programs = [
    { id: "1", differences: [] },
    { id: "2", differences: ["a", "a"] },
    { id: "3", differences: ["a", "z"] },
  ];
  expect(explain(programs, ROWS, (difference) => difference)).toEqual({
    passed: 1,
    differences: { A: 1 },
    failures: [{ id: "3", message: "z" }],
  });
});

it("shows rows as a table with escaped bars", () => {
  expect(tableOf(ROWS)).toContain(
    "| A | Says a \\| b | Says b | decision | [crews.md](crews.md#inputs) |",
  );
});

it("writes figures between the marks of the page and leaves the rest", () => {
  const page = "# T\n<!-- figures -->\nold\n<!-- /figures -->\nend $1 $&\n";
  const figure = {
    title: "Flows",
    upstream: "CrewAI 1",
    date: "2026-11-29",
    seed: 7,
    seconds: 9,
    tried: 10,
    passed: 7,
    differences: { F1: 3 },
    failed: 0,
  };
  const filled = fillFigures(page, { flows: figure });
  expect(filled).toContain(
    "| Flows (`flows`) | CrewAI 1 | 2026-11-29, 7 | 10 | 7 | 3 (F1: 3) | 0 |",
  );
  expect(filled).not.toContain("old");
  expect(filled.endsWith("<!-- /figures -->\nend $1 $&\n")).toBe(true);
  expect(fillFigures(filled, { flows: figure })).toBe(filled);
});

it("has recorded figures with consistent sums, of existing parts", () => {
  const figures = Object.entries(readFigures());
  expect(figures.length).toBeGreaterThan(0);
  expect(figures.filter(([name]) => PARTS[name] === undefined)).toEqual([]);
  const wrong = figures.filter(([, figure]) => figure.passed + figure.failed > figure.tried);
  expect(wrong).toEqual([]);
});

it("draws the same numbers for the same seed, and others for another", () => {
  const draw = (seed: number): number[] => {
    const random = new Random(seed);
    return Array.from({ length: 5 }, () => random.below(1_000));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(new Random(1).fork("a").next()).toBe(new Random(1).fork("a").next());
});
