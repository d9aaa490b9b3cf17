import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
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

  it("are taken however many there are", () => {
    const many = Array.from({ length: 3000 }, (_, n) => `k${n}: [\n]\n`).join("");
    expect(read(many).value).toMatchObject({ k0: [], k2999: [] });
  });
});

describe("refusals", () => {
  it.each([
    ["a: 1\na: 2", "2:1: duplicated mapping key"],
    ["a: 1\n---\nb: 2\n", "3:1: there must be one document, got more"],
    ["a: *b", "1:4: the alias *b must follow the end of what it names"],
    ["a: &b\n  c: [*b]", "2:7: the alias *b must follow the end of what it names"],
    ["a: !Env x", "1:4: unknown scalar tag !<!Env>"],
    ["a: !!int x", "1:4: unknown scalar tag !<tag:yaml.org,2002:int>"],
    ["a: !!set [b]", "1:4: unknown sequence tag !<tag:yaml.org,2002:set>"],
    ["a: !e!x b", '1:4: undeclared tag handle of "!e!x"'],
    ["a: &b *c", "1:7: an alias has no anchor and no tag"],
    ["[a]: b", "1:4: end of the text or a document separator is expected"],
    ["? [a]\n: b", "1:3: a key must be one value, got a list or a mapping"],
    ["a: b: c", "1:5: bad indentation of a mapping entry"],
    ["a: b\n  c: d", "2:4: bad indentation of a mapping entry"],
    ["a: - b", '1:4: a value is expected, got "-"'],
    ["- a\n - b\n- c\n  d: e", "4:4: bad indentation of a sequence entry"],
    ["a: 1\nb", "2:1: expected ':' after a mapping key"],
    ["a:\n\t- b", "2:2: tab characters must not be used in indentation"],
    ["a:\n  b: 1\n\tc: 2", "3:2: tab characters must not be used in indentation"],
    ["[a b, c", "1:8: unexpected end of the text within brackets"],
    ["[a, 'b' c]", "1:9: missed comma between flow collection entries"],
    ["[a,, b]", '1:4: a value is expected, got ","'],
    ["a: [\nb]", "2:1: deficient indentation"],
    ["a: 'b\nc'", "2:1: deficient indentation"],
    ['a: "b\\q"', "1:6: unknown escape sequence"],
    ["a: 'b", "1:6: unexpected end of the text within single quotes"],
    ["a: |x\n  b", "1:4: a line break is expected"],
    ["a: b\u0007", "1:5: the text has a character that is not printable"],
    ["%YAML 2.0\n---\na", "1:1: unacceptable YAML version of the document"],
    ["<<: a", "1:5: what is merged must be a mapping or a list of mappings"],
    ["[".repeat(101), "1:101: nesting exceeded maxDepth (100)"],
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

describe("values that js-yaml reads as well", () => {
  it.each([
    "a: one\n  two\n\n  three # four\nb: 'it''s\n\n  so '\n",
    'a: "x\\ty\\u00e9\\\n   z\n\n  w" # c\n',
    "a: |\n  b\n\n   c\n  # d\n\ne: |-\n  f\n\ng: |+\n  h\n\n",
    "a: >\n  b\n  c\n\n  d\n    e\n  f\ng: >-\n  h\n  i\n",
    "a: |2\n    b\n  c\n",
    "- |1\n  a\n- >\n\n  b\n",
    "--- >\n a\n b\n...\n",
    "a:\n- b\n- c: d\n  e: f\n-\n  - g\nh: - i\n".replace("- i", "'- i'"),
    "- - a\n  - b\n-\n- c\n",
    "? a\n: b\n? c\n: - d\n  - e\n? f\n",
    "{a: 1, 'b':2, c, d: , ? e : f, \"g\": [h: i, {j: k}]}",
    "[a b, c#d, e:f, -g, http://x.y/z?q=1,\n  two\n  lines, # c\n ]",
    "&a b: &c\n  d: !!str 1\ne: *a\nf: *c\n",
    "a: ! 12\nb: !!float 1\nc: !!str\n",
    "a: &x\n- 1\nb: *x\n",
    "%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 1\nb: !<tag:yaml.org,2002:str> 2\n",
    "a: [.inf, -.INF, .nan, +1, 1., .5, 1e-3, 012, 1_000, 0b1, FALSE, Null]",
    '~: a\n1: b\ntrue: c\n"": d\n',
    "a: b\r\nc: |\r\n  d\r\n  e\r\n",
    "\uFEFFa: b\n",
    "a : b\n\"c\" : d\n'e':\tf\n",
    "a: b - c: d\n".replace(": d", ":d"),
    "a: {\n  b: c\n}\n",
    "<<: [{a: 1}, {a: 2, b: 3}]\n'<<': c\n",
  ])("%j", (text) => {
    const schema = CORE_SCHEMA.withTags(mergeTag);
    // What it refuses: closing brackets in the column of their key.
    const theirs = text.replace(/^\}/m, " }");
    expect(read(text).value).toEqual(load(theirs, { schema }));
  });
});
