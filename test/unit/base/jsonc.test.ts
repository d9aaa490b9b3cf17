import * as fc from "fast-check";
import {
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { expect, it } from "vitest";
import { readJsonc } from "../../../src/base/jsonc.ts";
import type { Placed } from "../../../src/base/yaml.ts";

function theirs(text: string): ReturnType<typeof readJsonc> {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  return {
    value: root === undefined ? undefined : (getNodeValue(root) as unknown),
    root: root === undefined ? { offset: 0, children: [] } : placed(root),
    faults: withoutEchoes(errors).map(({ error, offset }) => ({
      message: printParseErrorCode(error)
        .replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        .toLowerCase(),
      offset,
    })),
  };
}

/** It says of each missing name that a value is missing, too. */
function withoutEchoes(errors: readonly ParseError[]): readonly ParseError[] {
  let missing = 0;
  return errors.filter(({ error }) => {
    const what = printParseErrorCode(error);
    if (what === "PropertyNameExpected") missing++;
    if (what !== "ValueExpected" || missing === 0) return true;
    missing--;
    return false;
  });
}

function placed({ type, offset, children = [] }: Node): Placed {
  if (type === "array") return { offset, children: children.map(placed) };
  if (type !== "object") return { offset, children: [] };
  const entries = children.flatMap(({ children: [key, value] = [] }): [string, Placed][] =>
    key === undefined || value === undefined
      ? []
      : [[String(key.value), { ...placed(value), offset: key.offset }]],
  );
  return { offset, children: new Map(entries) };
}

const PIECES = [
  ..."{ } [ ] : , true false null 0 -1 12.5 1e3 01 - 1. 1e 1.e3 1e+ . tru x /".split(" "),
  '"a"',
  '"b"',
  '"é"',
  '"\\u00e9"',
  '"\\n"',
  '"\\x"',
  '"\\u12"',
  '"tab\t"',
  '"open',
  '"',
  " ",
  "\n",
  "\r\n",
  "\t",
  "// note\n",
  "/* note */",
  "/* open",
];

it("finds the faults that another reader finds, in any pieces of JSON", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      expect([text, readJsonc(text).faults]).toEqual([text, theirs(text).faults]);
    }),
    { numRuns: 5000 },
  );
});

it("reads what another reader reads, with its places, also where pieces are missing", () => {
  const comment = fc.constantFrom("", " ", "\n", "// note\n", "/* { */ ");
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.array(comment, { minLength: 3, maxLength: 3 }),
      fc.option(fc.tuple(fc.nat(), fc.nat(6))),
      (value, [a = "", b = "", c = ""], cut) => {
        const whole = `${a}${JSON.stringify(value, null, 1)}${b}`
          .replaceAll(/,\n/g, `,${c}\n`)
          .replaceAll(/([\]}"\d])\n( *[\]}])/g, "$1,\n$2");
        const at = cut === null ? whole.length : cut[0] % (whole.length + 1);
        const text = whole.slice(0, at) + whole.slice(at + (cut?.[1] ?? 0));
        const mine = readJsonc(text);
        const other = theirs(text);
        expect([text, mine.faults]).toEqual([text, other.faults]);
        if (other.faults.length > 0 || text.includes("__proto__")) return;
        expect(mine).toEqual(other);
      },
    ),
    { numRuns: 3000 },
  );
});

it("takes any name of a property", () => {
  const { value, faults } = readJsonc('{ "__proto__": 1, "a": 1, "a": 2 }');
  expect(faults).toEqual([]);
  expect(Object.entries(value as object)).toEqual([
    ["__proto__", 1],
    ["a", 2],
  ]);
});
