import * as fc from "fast-check";
import { expect, it } from "vitest";
import { mendJson } from "../../../src/tools/mended-json.ts";

it.each([
  [
    "what JSON is",
    '{"a": [1, -2.5e3, true, null, "b\\n\\u00e9\\"", {}, []]}',
    { a: [1, -2500, true, null, 'b\né"', {}, []] },
  ],
  ["a text without an end", '{"task": "make tea", "for": "Ann', { task: "make tea", for: "Ann" }],
  ["a text that ends in the midst of an escape", '{"a": "b\\', { a: "b" }],
  ["lists and objects without an end", '{"a": {"b": [1, [2', { a: { b: [1, [2]] } }],
  ["an object around a list without an end", '{"a": [1, 2}', { a: [1, 2] }],
  [
    "missing commas",
    '{"a": 1 \n "b": "c" "d": ["e" "f"] "g": {}}',
    { a: 1, b: "c", d: ["e", "f"], g: {} },
  ],
  ["commas too many", '{"a": [1, 2,], "b": 3,}', { a: [1, 2], b: 3 }],
  ["keys without quotes", "{a: 1, $b-c: 2, 3: 4}", { a: 1, "$b-c": 2, 3: 4 }],
  [
    "texts without quotes",
    "{a: hello world, b: [one two, three], c: it's}",
    { a: "hello world", b: ["one two", "three"], c: "it's" },
  ],
  ["values of Python", "{'a': True, 'b': None, 'c': [False]}", { a: true, b: null, c: [false] }],
  ["quotes of other kinds", "{“a”: ‘b’, `c`: 'd'}", { a: "b", c: "d" }],
  [
    "quotes in a text",
    '{"a": "he said "no" twice", "b": "it\'s"}',
    { a: 'he said "no" twice', b: "it's" },
  ],
  ["line breaks in a text", '{"a": "one\ntwo"}', { a: "one\ntwo" }],
  ["escaped quotes around all", '{\\"a\\": \\"b\\", \\"c\\": 1}', { a: "b", c: 1 }],
  ["comments", '{"a": 1, // one\n /* two */ "b": 2}', { a: 1, b: 2 }],
  ["a code fence", '```json\n{"a": 1,}\n```', { a: 1 }],
  ["a list", "[1, 'a'", [1, "a"]],
  [
    "addresses",
    '{"a": "https://example.com/?b=c:d", e: 1',
    { a: "https://example.com/?b=c:d", e: 1 },
  ],
  ["__proto__ as a key like others", '{"__proto__": 1', JSON.parse('{"__proto__": 1}')],
])("MJ1: mends %s", (_, text, expected) => {
  expect(mendJson(text)).toEqual(expected);
});

it.each([
  "",
  "text",
  '"text',
  "{",
  "[",
  "{bad}",
  '{"a"',
  '{"a": ',
  '{"a": , "b": 1}',
  '{"a": 5, "',
  '{"a": 5, "b',
  '{"a": "x", "b": "',
  '{"a": [',
  '{"a": {"b":',
  '{"n": 12.',
  '{"n": -',
  '{"n": 1e',
  '{"a": 1} and more',
  '{"a\n": 1',
])("MJ2: makes nothing up for %j", (text) => {
  expect(mendJson(text)).toBeUndefined();
});

it("ends for whatever comes, and soon", () => {
  const piece = fc.constantFrom(..."{}[]\"'“”:,a1\\# \n-/*", "null", "True");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(() => mendJson(`{${pieces.join("")}`)).not.toThrow();
    }),
  );
  for (const text of ['"', '" ', "a ", "[", '{"a":', "\\", '"a" ', "'", "/*", "a:"])
    mendJson(`{"a": ${text.repeat(100_000)}`);
}, 5_000);
