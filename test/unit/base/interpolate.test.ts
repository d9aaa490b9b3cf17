import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { checkInputs, interpolate } from "../../../src/base/interpolate.ts";
import { placeholders } from "../../../src/base/template.ts";

const where = 'the description of task "research"';
class Person {
  readonly name = "Ada";
}

const failureOf = (run: () => unknown): EngineError => {
  try {
    run();
  } catch (error) {
    if (EngineError.is(error)) return error;
    throw error;
  }
  throw new Error("expected an EngineError, got none");
};

describe("interpolate", () => {
  it.each<[string, string, JsonObject, string]>([
    ["a text", "Hi {name}", { name: "Bob" }, "Hi Bob"],
    ["JSON beside a placeholder", 'json {"k": "v"} {topic}', { topic: "T" }, 'json {"k": "v"} T'],
    ["a placeholder inside JSON", '{"a": {x}}', { x: 1 }, '{"a": 1}'],
    ["spaces inside braces", "{ name }", { name: 1 }, "{ name }"],
    ["doubled braces", "{{name}}", { name: "B" }, "{B}"],
    ["a hyphen", "{a-b}", { "a-b": 2 }, "2"],
    ["invalid names", "{1a}, {a.b}", { a: 1 }, "{1a}, {a.b}"],
    ["a placeholder inside a value", "{a} {b}", { a: "{b}", b: "Z" }, "{b} Z"],
    ["an object", "{d}", { d: { k: true } }, '{"k":true}'],
    ["a path", "out/{topic}.md", { topic: "x" }, "out/x.md"],
    ["plain JSON without inputs", '{"k": 1}', {}, '{"k": 1}'],
    ["null and booleans", "{a} {b}", { a: null, b: false }, "null false"],
    ["a name in other letters", "{主题} {thema_ä}", { 主题: "茶", thema_ä: 1 }, "茶 1"],
    ["a name in other letters without an input", "{主题} {a}", { a: 1 }, "{主题} 1"],
    ["dollar signs", "{a}", { a: "$& $1" }, "$& $1"],
  ])("IN2: %s: %s", (...[, text, inputs, expected]) => {
    expect(interpolate(text, inputs, where)).toBe(expected);
  });

  it("IN1: names the missing variable and the field", () => {
    const failure = failureOf(() => interpolate("Hi {name}", { x: 1 }, where));
    expect(failure.code).toBe("invalid_input");
    expect(failure.message).toBe(
      'the description of task "research" needs the input "name"; given: "x"',
    );
    expect(failure.issues).toEqual([
      { path: "/inputs/name", message: expect.stringContaining(where) },
    ]);
  });

  it("IN1: asks for the variable also when there are no inputs", () => {
    expect(failureOf(() => interpolate("Hi {name}", {}, where)).message).toContain(
      "the inputs are empty",
    );
  });

  it("takes no value from Object.prototype", () => {
    expect(() => interpolate("{toString}", { x: 1 }, where)).toThrow(/toString/);
  });

  it("turns null and undefined into an empty text", () => {
    expect(interpolate(null, { a: 1 }, where)).toBe("");
    expect(interpolate(undefined, {}, where)).toBe("");
  });

  it("a template fills again with other inputs", () => {
    const template = "About {topic}";
    expect([
      interpolate(template, { topic: "A" }, where),
      interpolate(template, { topic: "B" }, where),
    ]).toEqual(["About A", "About B"]);
  });

  it("IN3: never expands inserted values", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, value) => {
        const template = `${before.replace(/[{}]/g, "")}{a}|{b}`;
        const filled = interpolate(template, { a: `${value}{b}{missing}`, b: "{a}" }, where);
        expect(filled).toBe(`${before.replace(/[{}]/g, "")}${value}{b}{missing}|{a}`);
      }),
    );
  });

  it("lists the placeholders of a crew", () => {
    expect(placeholders("{a} and {b-c} and {a}")).toEqual(["a", "b-c"]);
  });
});

describe("checkInputs", () => {
  it("accepts JSON values", () => {
    expect(() =>
      checkInputs({
        a: "x",
        b: 1.5,
        c: null,
        d: [true, { e: [] }],
        f: Object.create(null) as object,
      }),
    ).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ["a set", new Set([1]), "a Set"],
    ["a date", new Date(0), "a Date"],
    ["an instance", new Person(), "a Person"],
    ["a function", () => 1, "a function"],
    ["undefined", undefined, "undefined"],
    ["NaN", Number.NaN, "NaN"],
    ["a bigint", 1n, "a bigint"],
  ])("refuses %s, naming key and type", (_name, value, kind) => {
    const failure = failureOf(() => checkInputs({ fine: 1, bad: value }));
    expect(failure.code).toBe("invalid_input");
    expect(failure.message).toMatch(/^inputs\.bad must be/);
    expect(failure.message).toContain(`got ${kind}`);
    expect(failure.issues?.map((issue) => issue.path)).toEqual(["/inputs/bad"]);
  });

  it("looks into arrays and objects, and names every bad place", () => {
    const failure = failureOf(() =>
      checkInputs({ list: [1, { at: new Map() }], "a/b": undefined }),
    );
    expect(failure.issues?.map((issue) => issue.path)).toEqual([
      "/inputs/list/1/at",
      "/inputs/a~1b",
    ]);
  });

  it("refuses inputs that are not an object, are circular, or are nested too deeply", () => {
    expect(() => checkInputs([1])).toThrow(/inputs must be an object.*got an array/);
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => checkInputs({ circle })).toThrow(/circular/);
    let deep: unknown = 1;
    for (let level = 0; level < 100; level++) deep = [deep];
    expect(() => checkInputs({ deep })).toThrow(/at most 64 deep/);
  });
});
