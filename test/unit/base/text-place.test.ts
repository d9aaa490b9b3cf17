import { expect, it } from "vitest";
import { placesIn } from "../../../src/base/text-place.ts";

it("counts lines and columns from 1, each line's break as its last column", () => {
  const place = placesIn("ab\n\ncd");
  expect([0, 1, 2, 3, 4, 5, 6].map((offset) => place(offset))).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 2 },
    { line: 1, column: 3 },
    { line: 2, column: 1 },
    { line: 3, column: 1 },
    { line: 3, column: 2 },
    { line: 3, column: 3 },
  ]);
});
