import { describe, expect, it } from "vitest";
import type { Issue } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { readTemplate } from "../../../src/declarative/template.ts";

const values = {
  state: { n: 3, x: null, list: [1, "a"], o: { k: true }, s: "text", brace: "}" },
  outputs: {},
};

function read(data: JsonValue): { readonly value: JsonValue; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const template = readTemplate(data, "/with", {
    roots: ["state", "outputs"],
    issues,
    readsTime: () => {},
  });
  return { value: issues.length > 0 ? null : template({ values }), issues };
}

describe("a template", () => {
  it.each<[string, JsonValue]>([
    ["${state.n}", 3],
    ["N: ${state.n}", "N: 3"],
    ["a${state.x}", "a"],
  ])("%s", (text, value) => {
    expect(read(text)).toEqual({ value, issues: [] });
  });

  it.each<[string, JsonValue]>([
    ["plain", "plain"],
    ["${state.x}", null],
    ["  ${state.list}\n", [1, "a"]],
    ["${state.n}${state.n}", "33"],
    ["${state.list} and ${state.o}", '[1,"a"] and {"k":true}'],
    ["${state.o.k}!", "true!"],
    ["${state.s}", "text"],
    ['${{"a": {"b": state.n}}}', { a: { b: 3 } }],
    ['<${"}" + state.s + "{"}>', "<}text{>"],
    ["${'it\\'s }'} so", "it's } so"],
    ["$5 and {state.n} and $ {x}", "$5 and {state.n} and $ {x}"],
    ["${state.s + '${'}", "text${"],
  ])("%s", (text, value) => {
    expect(read(text)).toEqual({ value, issues: [] });
  });

  it("fills texts at any depth, and leaves names and other values as they are", () => {
    expect(read({ "${state.n}": [1, null, { deep: "${state.n}" }], flag: true })).toEqual({
      value: { "${state.n}": [1, null, { deep: 3 }], flag: true },
      issues: [],
    });
  });

  it("AC1: an unknown root is refused when it is read, with its place", () => {
    expect(read({ a: ["${foo.bar}"], b: "x ${item} ${bar}" }).issues).toEqual([
      { path: "/with/a/0", message: expect.stringContaining('unknown name "foo"') },
      { path: "/with/b", message: expect.stringContaining('unknown name "item"') },
      { path: "/with/b", message: expect.stringContaining('unknown name "bar"') },
    ]);
  });

  it.each(["${state.n", "a ${'}", "x ${ {1: 2 }"])("%s, which does not end, is refused", (text) => {
    expect(read(text).issues).toEqual([
      { path: "/with", message: expect.stringContaining("has no }") },
    ]);
  });
});

describe("the size of a template's result", () => {
  const large = { state: { s: "x".repeat(1_000_000), l: [1, 2] }, outputs: {} };
  it.each<[string, JsonValue]>([
    ["in one text", "${state.s} and ".repeat(20)],
    ["in a list", Array.from({ length: 20 }, () => "${state.s}")],
    ["in objects", { a: { b: Array.from({ length: 20 }, () => ({ c: "${state.s}!" })) } }],
  ])("is bounded %s", (_, data) => {
    const template = readTemplate(data, "/with", {
      roots: ["state", "outputs"],
      issues: [],
      readsTime: () => {},
    });
    const expected = "the template at /with gives more than 10000000 characters: keep large values";
    expect(() => template({ values: large })).toThrow(expected);
  });

  it("may be two megabytes", () => {
    const text = "${state.s}${state.s}";
    const template = readTemplate(text, "/with", {
      roots: ["state", "outputs"],
      issues: [],
      readsTime: () => {},
    });
    expect(template({ values: large })).toHaveLength(2_000_000);
  });
});
