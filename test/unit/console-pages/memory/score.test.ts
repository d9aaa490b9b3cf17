import { expect, it } from "vitest";
import { categoriesOf, scopeName, scorePieces } from "../../../../console/pages/memory/score.ts";

it("cuts a score into pieces with the same sum, without empty ones", () => {
  const pieces = scorePieces({
    score: 0.6,
    parts: { similarity: 0.3, recency: 0.2, importance: 0.1, rank: 0 },
  });
  expect(pieces.map(({ name }) => name)).toEqual(["similarity", "recency", "importance"]);
  expect(pieces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(0.6);
});

it("limits a bar to its place", () => {
  const pieces = scorePieces({
    score: 1.5,
    parts: { similarity: 1, recency: 0.3, importance: 0.2 },
  });
  expect(pieces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

it("names scopes by their last part, and reads categories", () => {
  expect(scopeName("/")).toBe("Everything");
  expect(scopeName("/customers/ana")).toBe("ana");
  expect(categoriesOf(" taste, contract ,, taste")).toEqual(["taste", "contract"]);
});
