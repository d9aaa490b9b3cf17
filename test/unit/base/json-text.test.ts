import * as fc from "fast-check";
import { parseTree, type Node } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { readJsonText } from "../../../src/base/json-text.ts";
import type { Placed } from "../../../src/base/yaml.ts";

const refuse = (reason: string, offset: number): Error => new SyntaxError(`${reason} at ${offset}`);
const read = (text: string) => readJsonText(text, refuse);

/** The places of another parser of the same language. */
function theirs({ type, offset, children = [] }: Node): Placed {
  if (type === "array") return { offset, children: children.map(theirs) };
  if (type !== "object") return { offset, children: [] };
  const entries = children.map(({ children: [key, value] = [] }): [string, Placed] => [
    String(key?.value),
    { ...theirs(value as Node), offset: key?.offset ?? 0 },
  ]);
  return { offset, children: new Map(entries) };
}

const blank = fc.constantFrom("", " ", "\n\t", "// no, {\n", "/* a\n[ */", "\r\n");

/** JSON with something between all of its tokens. */
const texts = fc
  .tuple(fc.jsonValue(), fc.array(blank, { minLength: 12, maxLength: 12 }))
  .map(([value, blanks]) => {
    let index = 0;
    const text = JSON.stringify(value).replaceAll(
      /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:]+/g,
      (token) => `${blanks[index++ % 12]}${token}`,
    );
    return { value, text: `${text}${blanks[0]}` };
  });

describe("JSON written by hand", () => {
  it("has the value of JSON.parse, and the positions of another parser", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(texts, ({ value, text }) => {
        const found = read(text);
        expect(JSON.stringify(found.value)).toBe(JSON.stringify(value));
        const node = parseTree(text, [], { allowTrailingComma: true });
        expect(found.root).toEqual(theirs(node as Node));
      }),
      { numRuns: 1_000 },
    );
  });

  it("may have trailing commas, comments and a mark of its encoding", () => {
    expect(read('\uFEFF{"a": [1, 2,], /* b */ "c": {"d": null,},} // e').value).toEqual({
      a: [1, 2],
      c: { d: null },
    });
  });

  it("keeps __proto__ as a field", () => {
    expect(JSON.stringify(read('{"__proto__": {"a": 1}}').value)).toBe('{"__proto__":{"a":1}}');
  });

  it.each([
    ['{"a" 1}', "colon expected at 5"],
    ['{"a": }', "value expected at 6"],
    ["{a: 1}", "property name expected at 1"],
    ['{"a": 1 "b": 2}', "comma expected at 8"],
    ['{"a": 1', "} expected at 7"],
    ["[1", "] expected at 2"],
    ["[,]", "value expected at 1"],
    ["1 2", "end of file expected at 2"],
    ["01", "value expected at 0"],
    ["1.2.3", "value expected at 0"],
    ['"a', "value expected at 0"],
    ['"\\x"', "value expected at 0"],
    ['"a\nb"', "value expected at 0"],
    ["/* open", "value expected at 0"],
    ["nul", "value expected at 0"],
    ["", "value expected at 0"],
  ])("%j is refused: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
