// Expressions that nobody wrote down: well-formed ones against another evaluator, and texts of any kind.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { evaluateExpression } from "../../../../src/conversation/expression/evaluate-expression.ts";
import { parseExpression } from "../../../../src/conversation/expression/expression.ts";
import { contextCondition, holds } from "../../../../src/conversation/targets/handoffs.ts";
import { computedMs } from "../../../support/computed-ms.ts";

function orError<T>(make: () => T): T | EngineError {
  try {
    return make();
  } catch (error) {
    if (EngineError.is(error)) return error;
    throw error;
  }
}

const NAMES = ["a", "b", "is_open", "größe", "__proto__", "constructor", "toString"] as const;
const variables: fc.Arbitrary<JsonObject> = fc
  .dictionary(
    fc.constantFrom(...NAMES),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.integer({ min: -3, max: 3 }),
    ) as fc.Arbitrary<JsonValue>,
    { noNullPrototype: false },
  )
  .map((values) => JSON.parse(JSON.stringify(values)) as JsonObject);
const WORDS = [
  ..."()[]{}<>=!&|,-+*/%.'\"$ \t\n\\;:`@#^~?".split(""),
  "and",
  "or",
  "not",
  "True",
  "False",
  "None",
  "len(",
  "in",
  "is",
  "lambda",
  "==",
  "!=",
  "<=",
  ">=",
  "${a}",
  "${b}",
  "${is_open}",
  "${",
  "}",
  "${a.b}",
  "0",
  "1",
  "1.5",
  "1e9",
  "1e999",
  ".5",
  "007",
  "'x'",
  '"y"',
  " & ",
  " | ",
  "__import__",
  "\u0000",
  "\u2028",
  "\ud800",
  "🙂",
  "é",
];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((each) => each.join(""));
const spaced = fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((each) => each.join(" "));

describe("any text", () => {
  it("XPR2: is an expression, or refused with a column inside it", () => {
    fc.assert(
      fc.property(fc.oneof(words, spaced, fc.string({ unit: "binary" })), (source) => {
        for (const compat of [undefined, "ag2-0.14"] as const) {
          const expression = orError(() => parseExpression(source, compat));
          if (!EngineError.is(expression)) continue;
          expect(expression.code).toBe("invalid_definition");
          const column = Number(/^column (\d+): /.exec(expression.message)?.[1]);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual(source.length + 1);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("XPR2: has only numbers within JSON", () => {
    const refused = orError(() => parseExpression("1 < 1e999"));
    expect(EngineError.is(refused) && refused.message).toMatch(/^column 5: .*1e999/);
  });

  it("XPR4: has a value over any variables, or an EngineError", () => {
    fc.assert(
      fc.property(fc.oneof(words, spaced), variables, (source, values) => {
        for (const compat of [undefined, "ag2-0.14"] as const)
          for (const missing of ["error", "false"] as const) {
            const expression = orError(() => parseExpression(source, compat));
            if (EngineError.is(expression)) continue;
            const value = orError(() => evaluateExpression(expression, values, missing));
            const isAllowed = EngineError.is(value)
              ? value.code === "invalid_input"
              : compat === undefined
                ? typeof value === "boolean"
                : Object.is(JSON.parse(JSON.stringify(value)), value);
            expect({ source, value, isAllowed }).toMatchObject({ isAllowed: true });
          }
      }),
      { numRuns: 3000 },
    );
  });

  it("XPR2: of any length and depth is refused at once", () => {
    for (const piece of [
      "(",
      "not ",
      "!",
      "- ",
      "-",
      "len(",
      "${a} and ",
      "1 < ",
      "'",
      "${",
      "1e",
      ".",
      "9",
      "_",
      "!(",
      " ",
    ]) {
      const started = computedMs();
      for (const length of [100, 9_999, 1_000_000]) {
        const source = piece.repeat(Math.ceil(length / piece.length));
        orError(() => parseExpression(source));
        orError(() => parseExpression(`${source}\${a}`));
      }
      expect(computedMs() - started).toBeLessThan(500);
    }
  });
});

type Tree = { readonly text: string; readonly value: (of: JsonObject) => boolean };

/** Boolean expressions with what they mean, told by JavaScript itself. */
const { tree } = fc.letrec<{ tree: Tree; leaf: Tree }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<Tree>(
      { text: "True", value: () => true },
      { text: "False", value: () => false },
      { text: "None", value: () => false },
      { text: "''", value: () => false },
      { text: "0.0", value: () => false },
    ),
    fc
      .constantFrom("a", "b")
      .map((name): Tree => ({ text: `\${${name}}`, value: (of) => of[name] !== 0 })),
    fc
      .tuple(
        fc.constantFrom("a", "b"),
        fc.constantFrom("==", "!=", "<", "<=", ">", ">="),
        fc.integer({ min: -3, max: 3 }),
      )
      .map(([name, operator, number]): Tree => ({
        text: `\${${name}} ${operator} ${number}`,
        value: (of) => compared(Number(of[name]), operator, number),
      })),
  ),
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    tie("leaf"),
    tie("tree").map(({ text, value }): Tree => ({
      text: `not (${text})`,
      value: (of) => !value(of),
    })),
    tie("tree").map(({ text, value }): Tree => ({ text: `!(${text})`, value: (of) => !value(of) })),
    fc.tuple(tie("tree"), tie("tree")).map(([one, other]): Tree => ({
      text: `(${one.text}) and (${other.text})`,
      value: (of) => one.value(of) && other.value(of),
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([one, other]): Tree => ({
      text: `(${one.text}) | (${other.text})`,
      value: (of) => one.value(of) || other.value(of),
    })),
  ),
}));

function compared(left: number, operator: string, right: number): boolean {
  switch (operator) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    default:
      return left >= right;
  }
}

describe("a well-formed expression", () => {
  const number = fc.integer({ min: -3, max: 3 });

  it("XPR1, XPR4: has the value of its parts, in either mode", () => {
    fc.assert(
      fc.property(tree, number, number, ({ text, value }, a, b) => {
        const meant = value({ a, b });
        expect(evaluateExpression(parseExpression(text), { a, b })).toBe(meant);
        const old = contextCondition(text, "ag2-0.14");
        expect(holds(old, { a, b })).toBe(meant);
      }),
      { numRuns: 1000 },
    );
  });

  it("XPR1: a value never becomes a part of the expression", () => {
    fc.assert(
      fc.property(fc.oneof(words, fc.string()), (hostile) => {
        const same = parseExpression("${a} == ${b}");
        expect(evaluateExpression(same, { a: hostile, b: hostile })).toBe(true);
        expect(evaluateExpression(same, { a: hostile, b: `${hostile}!` })).toBe(false);
        expect(evaluateExpression(parseExpression("len(${a})"), { a: hostile })).toBe(
          hostile !== "",
        );
      }),
      { numRuns: 500 },
    );
  });

  it("XPR3: needs every named variable, unless missing ones count as false", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), (name) => {
        const expression = parseExpression(`True or \${${name}}`);
        const failed = orError(() => evaluateExpression(expression, {}));
        expect(EngineError.is(failed) && failed.message).toContain(`"${name}"`);
        expect(evaluateExpression(parseExpression(`\${${name}}`), {}, "false")).toBe(false);
        expect(holds(contextCondition(name), {})).toBe(false);
      }),
    );
  });
});
