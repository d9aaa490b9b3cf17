import { describe, expect, it } from "vitest";
import {
  isJsonObject,
  jsonOrText,
  parsedJson,
  parsedObject,
  preview,
  typeName,
} from "../../../src/base/json.ts";
import { toJson } from "../../../src/base/recorded.ts";

describe("a value as JSON", () => {
  it("copies -0 as 0, as JSON does", () => {
    expect(toJson({ a: [-0] })).toEqual({ a: [0] });
  });

  it("keeps a field named __proto__ as data, and the object's prototype as it is", () => {
    const copy = toJson(JSON.parse('{"__proto__":{"admin":true},"a":1}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"a":1}');
    expect((copy as { admin?: unknown }).admin).toBeUndefined();
  });
});

describe("a text as JSON", () => {
  it.each([
    ["null", null],
    ['"a"', "a"],
    ['{"a":[1]}', { a: [1] }],
    ["{", undefined],
    ["", undefined],
  ])("parses %j", (text, value) => {
    expect(parsedJson(text)).toEqual(value);
    expect(jsonOrText(text)).toEqual(value === undefined ? text : value);
    expect(parsedObject(text)).toEqual(isJsonObject(value) ? value : undefined);
  });
});

describe("a preview of a value", () => {
  it.each([
    ["text", `"text"`],
    ["line\nbreak", `"line\\nbreak"`],
    [{ a: [1, null] }, `{"a":[1,null]}`],
    [null, "null"],
    [undefined, "undefined"],
    [1n, "bigint"],
    [Symbol("s"), "symbol"],
    [() => 1, "function"],
  ])("%# is shown in an error message", (value, shown) => {
    expect(preview(value)).toBe(shown);
  });

  it("of a circular value names its type", () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expect(preview(circular)).toBe("object");
  });

  it("is cut, and includes the whole length", () => {
    expect(preview("x".repeat(100), 10)).toBe(`"xxxxxxxxx… (102 characters)`);
    expect(preview("x".repeat(78))).toHaveLength(80);
  });

  it("never shows half of a character", () => {
    for (const length of [9, 10])
      expect(preview("💡".repeat(50), length).isWellFormed()).toBe(true);
  });
});

describe("names of types", () => {
  it("are those of JSON if there is one", () => {
    expect([null, [], {}, "", 0, true, undefined].map(typeName)).toEqual([
      "null",
      "array",
      "object",
      "string",
      "number",
      "boolean",
      "undefined",
    ]);
  });

  it("distinguish objects from arrays and null", () => {
    expect([{}, [], null, "{}"].map(isJsonObject)).toEqual([true, false, false, false]);
  });
});
