import { describe, expect, it } from "vitest";
import { readYaml, type Placed } from "../../../src/base/yaml.ts";

const read = (text: string) =>
  readYaml(text, (reason, { line, column }) => new Error(`${line}:${column}: ${reason}`));

/** Where the value at a path of keys and numbers stands, as `line:column`. */
function placeOf(text: string, ...path: readonly (string | number)[]): string {
  const { root, placeAt } = read(text);
  let here: Placed | undefined = root;
  for (const part of path) {
    const children: Placed["children"] = (here ?? root).children;
    here = children instanceof Map ? children.get(part) : (children as Placed[])[Number(part)];
  }
  if (here === undefined) return "nowhere";
  const { line, column } = placeAt(here.offset);
  return `${line}:${column}`;
}

describe("values", () => {
  it("reads by the core schema of YAML 1.2: booleans and dates of 1.1 are texts", () => {
    expect(read("[yes, on, 2024-01-01, 12:30, 0o17, 0x1F, 1e3, ~, True, '1']").value).toEqual([
      "yes",
      "on",
      "2024-01-01",
      "12:30",
      15,
      31,
      1000,
      null,
      true,
      "1",
    ]);
  });

  it("merges mappings: its own keys first, then those of the first mapping with the key", () => {
    expect(read("a: &a {x: 1, y: 1}\nb:\n  y: 2\n  <<: [*a, {x: 3, z: 3}]\n").value).toMatchObject({
      b: { x: 1, y: 2, z: 3 },
    });
  });

  it.each(["", "# nothing\n", "---\n"])("reads %j as null", (text) => {
    expect(read(text).value).toBeNull();
  });

  it("keeps __proto__ as an ordinary key", () => {
    expect(Object.keys(read("__proto__: {a: 1}").value as object)).toEqual(["__proto__"]);
  });
});

describe("places", () => {
  const TEXT = `a:
  - "b"
  - 'c'
  - |
    d
  - >- # folded
    e
  - {f: [g]}
h: &h
  i: j
k: *h
`;

  it.each([
    [[], "1:1"],
    [["a"], "1:1"],
    [["a", 0], "2:5"],
    [["a", 1], "3:5"],
    [["a", 2], "4:5"],
    [["a", 3], "6:5"],
    [["a", 4, "f"], "8:6"],
    [["a", 4, "f", 0], "8:10"],
    [["k"], "11:1"],
    [["k", "i"], "10:3"],
  ] as const)("%j is at %s", (path, place) => {
    expect(placeOf(TEXT, ...path)).toBe(place);
  });
});

describe("closing brackets in the column of their key", () => {
  const TEXT = `a:
  b: [
    1, # one
    { c: ["]"] }
  ]
  d: {
    e: 2
  }
f: [
]
g: h
`;

  it("are taken, and move no place", () => {
    expect(read(TEXT).value).toEqual({
      a: { b: [1, { c: ["]"] }], d: { e: 2 } },
      f: [],
      g: "h",
    });
    expect([placeOf(TEXT, "a", "d", "e"), placeOf(TEXT, "f"), placeOf(TEXT, "g")]).toEqual([
      "7:5",
      "9:1",
      "11:1",
    ]);
  });

  it("leave similar lines of a text as they are", () => {
    expect(read("a: [\n]\nb: |\n  {\n  }\n").value).toEqual({ a: [], b: "{\n}\n" });
  });

  it("reports an error after them at its place", () => {
    expect(() => read("a: [\n]\nb: 1\nb: 2\n")).toThrow(/^4:1: duplicated mapping key$/);
  });

  it("are refused when their number would make reading too slow", () => {
    const many = Array.from({ length: 3000 }, (_, n) => `k${n}: [\n]\n`).join("");
    expect(() => read(many)).toThrow(/^\d+:1: deficient indentation$/);
    expect(read(many.slice(0, many.indexOf("k300:"))).value).toMatchObject({ k299: [] });
  });
});

describe("refusals", () => {
  it.each([
    ["a: 1\na: 2", "2:1: duplicated mapping key"],
    ["a: 1\n---\nb: 2\n", "3:1: there must be one document, got more"],
    ["a: *b", "1:4: the alias *b must follow the end of its anchor"],
    ["a: &b\n  c: [*b]", "2:7: the alias *b must follow the end of its anchor"],
    ["a: !Env x", "1:4: unknown scalar tag !<!Env>"],
    ["[".repeat(101), "1:100: nesting exceeded maxDepth (100)"],
  ])("%j: %s", (text, message) => {
    expect(() => read(text)).toThrow(new Error(message));
  });

  it("a long text repeated too often by aliases, before there is a value", () => {
    const repeated = (times: number) => `a: &a ${"x".repeat(10_000)}\nb: [${"*a,".repeat(times)}]`;
    expect(read(repeated(99)).value).toMatchObject({ b: { length: 99 } });
    expect(() => read(repeated(100))).toThrow("aliases must not add more than 1000000 characters");
  });

  it("aliases of aliases, each counted in full", () => {
    const levels = Array.from({ length: 9 }, (_, n) => `- &l${n + 1} [${`*l${n},`.repeat(9)}]`);
    expect(() => read(["- &l0 x", ...levels].join("\n"))).toThrow("aliases must not add");
    expect(read(["- &l0 x", ...levels.slice(0, 4)].join("\n")).value).toHaveLength(5);
  });
});
