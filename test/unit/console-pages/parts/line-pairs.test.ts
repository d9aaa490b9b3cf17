import { expect, it } from "vitest";
import { foldEqual, linePairs } from "../../../../console/parts/line-pairs.ts";

it("puts removed lines beside their replacements (CO21)", () => {
  const pairs = linePairs("a\nb\nc\n", "a\nB\nB2\nc");
  expect(pairs.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ["a", "a"],
    ["b", "B"],
    [undefined, "B2"],
    ["c", "c"],
  ]);
  expect(pairs.at(-1)).toEqual({
    left: { number: 3, text: "c" },
    right: { number: 4, text: "c" },
    isEqual: true,
  });
});

it("folds equal lines far from any difference (CO21)", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  const groups = foldEqual(linePairs(lines, lines.replace("line 9", "line nine")));
  expect(groups.map(({ isFolded, pairs }) => [isFolded, pairs.length])).toEqual([
    [true, 6],
    [false, 7],
    [true, 7],
  ]);
  expect(foldEqual(linePairs(lines, lines)).map(({ isFolded }) => isFolded)).toEqual([true]);
});
