// Circles of imports. Lint refuses those at run time; these are circles of types as well.
import { describe, expect, it } from "vitest";
import { importCycles, importsIn } from "../support/import-cycles.ts";

/** Maximum number of files in circles. It may only fall. */
const MAX_FILES = 3;
/** Maximum number of files in one circle. It may only fall. */
const MAX_LARGEST = 3;

describe("imports, types included", () => {
  const cycles = importCycles(importsIn("src", "durable-objects"));

  it("has no more files in circles than before: give a shared type a file of its own", () => {
    expect(cycles.flat().length > MAX_FILES ? cycles : []).toEqual([]);
  });

  it("has no larger circle than before: a description does not import what executes it", () => {
    expect(cycles.filter(({ length }) => length > MAX_LARGEST)).toEqual([]);
  });
});

describe("importCycles", () => {
  const cyclesOf = (imports: Readonly<Record<string, readonly string[]>>) =>
    importCycles(new Map(Object.entries(imports)));

  it("finds circles of two files and of more, the largest first", () => {
    const cycles = cyclesOf({
      a: ["b"],
      b: ["a", "c"],
      c: ["d"],
      d: ["e"],
      e: ["c"],
    });
    expect(cycles).toEqual([
      ["c", "d", "e"],
      ["a", "b"],
    ]);
  });

  it("joins circles with a common file", () => {
    expect(cyclesOf({ a: ["b"], b: ["a", "c"], c: ["b"] })).toEqual([["a", "b", "c"]]);
  });

  it("finds no circle where imports go one way, also to a file reached twice", () => {
    expect(cyclesOf({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })).toEqual([]);
  });
});
