import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseToolArguments } from "../../../src/tools/tool-arguments.ts";

const ok = (value: unknown) => ({ kind: "ok", value });

describe("parseToolArguments", () => {
  it.each([
    ["strict JSON", '{"query": "x", "limit": 3}', { query: "x", limit: 3 }],
    ["JSON written twice", '"{\\"query\\": \\"x\\"}"', { query: "x" }],
    ["null", "null", {}],
    [
      "Python literals",
      "{'a': True, 'b': None, 'c': (1, 2), 'd': u'x', 'e': r'\\d', 'f': ('y')}",
      { a: true, b: null, c: [1, 2], d: "x", e: "\\d", f: "y" },
    ],
    [
      "JSON5",
      "{a: +1, b: .5, c: 0xFF, /* x */ 'd': [1,], // y\n}",
      { a: 1, b: 0.5, c: 255, d: [1] },
    ],
    ["an apostrophe in double quotes", "{'q': \"it's\", 'n': False}", { q: "it's", n: false }],
    ["line breaks in a text", '{"a": "one\ntwo"}', { a: "one\ntwo" }],
    ["triple quotes", '{"a": """say "hi" """}', { a: 'say "hi" ' }],
    ["a cut object", '{"task": "a", "coworker": "b', { task: "a", coworker: "b" }],
    ["a code fence", '```json\n{"a": 1}\n```', { a: 1 }],
  ])("TA2: reads %s in both modes", (_name, text, value) => {
    expect(parseToolArguments(text, "native")).toEqual(ok(value));
    expect(parseToolArguments(text, "text")).toEqual(ok(value));
  });

  it("TA3: text without a key and value is an error with a quote", () => {
    expect(parseToolArguments("{bad json", "native")).toEqual({
      kind: "error",
      message: expect.stringMatching(/expected the arguments as one JSON object.*got.*\{bad json/),
    });
  });

  it.each([
    "[1, 2]",
    '[{"a": 1}]',
    "42",
    "true",
    '"x"',
    "what is the temperature?",
    "{",
    "{bad}",
    '{"a": 1e999}x',
  ])("TA1: refuses %s", (text) => {
    expect(parseToolArguments(text, "native").kind).toBe("error");
  });

  it.each([
    '{"a": 5, "',
    '{"a": 5, "b',
    '{"a": 5, "b":',
    '{"query": ',
    '{"a": , "b": 1}',
    '{"a": "x", "b": "',
    '{"a": [',
    '{"a": {"b":',
    '{"n": 12.',
    '{"n": -',
    '{"n": 1e',
  ])("TA3: refuses %s, as it would take a missing name or value", (text) => {
    expect(parseToolArguments(text, "native").kind).toBe("error");
    expect(parseToolArguments(text, "text").kind).toBe("error");
  });

  it("takes no text as no arguments in a native call, and as an error in the text form", () => {
    expect(parseToolArguments(" ", "native")).toEqual(ok({}));
    expect(parseToolArguments("", "text").kind).toBe("error");
  });

  it("TA4: in the text form takes the first object and ignores the rest", () => {
    const text = '{"q": "x"}\nAction: other\nAction Input: {"q": "y"}';
    expect(parseToolArguments(text, "text")).toEqual(ok({ q: "x" }));
    expect(parseToolArguments(text, "native").kind).toBe("error");
    expect(parseToolArguments('I use {"q": "x"}.', "text")).toEqual(ok({ q: "x" }));
  });

  it("keeps __proto__ a plain key", () => {
    const result = parseToolArguments("{'__proto__': {'x': 1}}", "native");
    expect(result.kind === "ok" && Object.keys(result.value)).toEqual(["__proto__"]);
  });

  it("reads every JSON object as JSON does", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(parseToolArguments(text, "native")).toEqual(ok(JSON.parse(text)));
      }),
    );
  });

  it("never throws, for any text", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "(",
      ")",
      '"',
      "'",
      '"""',
      ":",
      ",",
      "a",
      "1",
      "\\",
      "#",
      "/*",
      "True",
      " ",
      "\n",
      "-",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 40 }).map((all) => all.join("")),
        ),
        (text) => {
          expect(["ok", "error"]).toContain(parseToolArguments(text, "native").kind);
          expect(["ok", "error"]).toContain(parseToolArguments(text, "text").kind);
        },
      ),
    );
    expect(parseToolArguments(`{"a":${"[".repeat(50_000)}`, "native").kind).toBe("error");
  });
});
