import { describe, expect, it } from "vitest";
import { lineDiff, type DiffLine } from "../../../src/cli/line-diff.ts";

const shown = (before: string, after: string): readonly string[] =>
  lineDiff(before, after).map(({ sign, text }) => sign + text);

const without = (lines: readonly DiffLine[], sign: string): string =>
  lines
    .filter((line) => line.sign !== sign)
    .map(({ text }) => text)
    .join("\n");

describe("two texts, line by line", () => {
  it.each([
    ["a\nb\nc", "a\nB\nc"],
    ["", "a"],
    ["a\nb", "b\na"],
    ["x\na\nb\nc\nd", "a\nc\ne\nd\nx"],
    ["a\na\nb\na", "a\nb\na\na"],
  ])("LDF1: %j and %j are both in it", (before, after) => {
    const lines = lineDiff(before, after);
    expect(without(lines, "+")).toBe(before);
    expect(without(lines, "-")).toBe(after);
  });

  it("LDF1: marks no more than necessary", () => {
    expect(shown("a\nb\nc\nd", "a\nx\nb\nd")).toEqual([" a", "+x", " b", "-c", " d"]);
  });

  it("LDF1: shows texts beyond the limit as a whole", () => {
    const text = (word: string): string =>
      Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join("\n");
    const lines = lineDiff(`same\n${text("a")}`, `same\n${text("b")}`);
    expect(lines.filter(({ sign }) => sign !== " ")).toHaveLength(6_000);
  });

  it("LDF2: has two equal lines around a change, and is empty without a change", () => {
    expect(shown("1\n2\n3\n4\n5\n6\n7", "1\n2\n3\nx\n5\n6\n7")).toEqual(
      " 2, 3,-4,+x, 5, 6".split(","),
    );
    expect(shown("a\nb", "a\nb")).toEqual([]);
  });
});
