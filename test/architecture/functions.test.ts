// Long functions. A function reads as a list of named steps; the second idea in it has a function of its own.
import { describe, expect, it } from "vitest";
import { functionsOver } from "../support/function-lengths.ts";
import { sourceFiles } from "../support/source-files.ts";

/** Maximum number of lines of a function. */
const MAX_LINES = 60;
/** Maximum number of functions beyond it. It may only fall. */
const MAX_LONG = 23;

describe("functions", () => {
  it("are no more often long than before: move the second idea to a function of its own", () => {
    const long = sourceFiles("src", "durable-objects").flatMap((file) =>
      functionsOver(MAX_LINES, file),
    );
    expect(long.length > MAX_LONG ? long : []).toEqual([]);
  });
});

describe("functionsOver", () => {
  const over = (limit: number, ...lines: readonly string[]) =>
    functionsOver(limit, "a.ts", lines.join("\n"));

  it("counts from the beginning of a function to its closing brace", () => {
    const lines = ["const a = 1;", "function f() {", "  a;", "}", "", "const b = 2;"];
    expect(over(2, ...lines)).toEqual([{ at: "a.ts:2", name: "f", lines: 3 }]);
    expect(over(3, ...lines)).toEqual([]);
  });

  it("finds functions of every form by their name", () => {
    const lines = [
      "class C { constructor() {",
      "} #m() {",
      "} p = () => {",
      "} }",
      "const v = () => {",
      "}; const o = { q: function () {",
      "} }; [1].map(() => {",
      "});",
    ];
    expect(over(1, ...lines).map(({ name }) => name)).toEqual([
      "constructor",
      "m",
      "p",
      "v",
      "q",
      "",
    ]);
  });

  it("finds functions inside of functions, the longest first", () => {
    const lines = ["function outer() {", "  return () => {", "  };", "}", "function g() {", "}"];
    expect(over(1, ...lines).map(({ name, lines: length }) => [name, length])).toEqual([
      ["outer", 4],
      ["", 2],
      ["g", 2],
    ]);
  });

  it("leaves out signatures", () => {
    expect(over(1, "type T = {", "  f(", "  ): void;", "};", "declare const a: T;")).toEqual([]);
  });
});
