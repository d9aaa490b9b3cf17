import * as fc from "fast-check";
import { expect, it } from "vitest";
import { placeholders, replacePlaceholders } from "../../../src/base/template.ts";

it("T1: lists each placeholder once, in order", () => {
  expect(placeholders("{b} {a-1} {b} {_c} {1d} {e.f} { g }")).toEqual(["b", "a-1", "_c"]);
});

it("T2: leaves braces alone that hold no name", () => {
  const text = '{"a": {"b": [1]}} {} { x } {1} ${';
  expect(replacePlaceholders(text, () => "!")).toBe(text);
});

it("T3: never looks at what was put in", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const values: Record<string, string> = { a: `{b}${a}`, b: `{a}$&${b}` };
      expect(replacePlaceholders("{a}|{b}", (name) => values[name])).toBe(`{b}${a}|{a}$&${b}`);
    }),
  );
});
