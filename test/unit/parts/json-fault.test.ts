import { describe, expect, it } from "vitest";
import { jsonFault } from "../../../src/parts/json-fault.ts";

describe("jsonFault", () => {
  it.each([
    ["", 1, 1, "a value", "the end"],
    ['{"a":1,}', 1, 8, "a property name in double quotes", '"}"'],
    ["{'a':1}", 1, 2, "a property name in double quotes, not single ones", `"'a':1}"`],
    ['{"a" 1}', 1, 6, '":"', '"1}"'],
    ["[1 2]", 1, 4, '"," or "]"', '"2]"'],
    ["[1,\n 2,\n x]", 3, 2, "a value", '"x]"'],
    ['{"a":[{"b":tru}]}', 1, 12, "a value", '"tru}]}"'],
    ["01", 1, 2, "the end", '"1"'],
    ['{"a":1}}', 1, 8, "the end", '"}"'],
    ['{"a":"\\x"}', 1, 6, "a value", '"\\"\\\\x\\"}"'],
  ])("finds the place where %j stops being JSON", (text, ...[line, column, expected, got]) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(jsonFault(text)).toEqual({ line, column, expected, got });
  });

  it("is not impressed by depth or length", () => {
    const size = 1 << 20;
    expect(jsonFault("[".repeat(size))).toMatchObject({ column: size + 1, got: "the end" });
    expect(jsonFault(`{"k":"${"\\n".repeat(size / 2)}" x`)).toMatchObject({
      column: size + 9,
      got: '"x"',
    });
  });
});
