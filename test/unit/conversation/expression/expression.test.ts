import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { evaluateExpression } from "../../../../src/conversation/expression/evaluate-expression.ts";
import { parseExpression } from "../../../../src/conversation/expression/expression.ts";

const CONTEXT: JsonObject = {
  logged_in: false,
  is_admin: true,
  guest: false,
  attempts: 3,
  tier: "gold",
  orders: [1, 2],
  empty: [],
  n: null,
  neg: -2,
  zero: 0,
};

const value = (source: string, variables: JsonObject = CONTEXT): JsonValue =>
  evaluateExpression(parseExpression(source), variables);
const inCompat = (source: string): JsonValue =>
  evaluateExpression(parseExpression(source, "ag2-0.14"), CONTEXT);
const refusal = (source: string): string | undefined => {
  try {
    parseExpression(source);
    return undefined;
  } catch (error) {
    return EngineError.is(error) && error.code === "invalid_definition"
      ? error.message
      : `not on purpose: ${String(error)}`;
  }
};

describe("vectors", () => {
  it("D5-42: not binds tighter than and, and tighter than or", () => {
    expect(value("not ${logged_in} and ${is_admin} or ${guest}")).toBe(true);
  });
  it("D5-43: the symbols mean the same as the words", () => {
    expect(value("!${logged_in} & ${is_admin} | ${guest}")).toBe(true);
  });
  it("D5-44: symbols without spaces are refused", () => {
    expect(refusal("${logged_in}&${is_admin}")).toMatch(/^column 13: & needs a space/);
  });
  it("D5-45: comparisons can be chained", () => {
    expect(value("1 < ${attempts} < 5")).toBe(true);
    expect(value("1 < ${attempts} < 3")).toBe(false);
  });
  it("D5-46: len of a list", () => {
    expect(value("len(${orders}) > 0 & ${is_admin}")).toBe(true);
  });
  it("D5-47: a value without a length has the length 0", () => {
    expect(value("len(${n}) == 0")).toBe(true);
    expect(value("len(${attempts}) == 0")).toBe(true);
  });
  it("D5-48: a missing variable is an error, also behind a true or", () => {
    expect(() => value("${is_admin} or ${missing}")).toThrow(/context variable "missing"/);
  });
  it("D5-49: a text is true, and is the value in compat mode", () => {
    expect(value("${tier}")).toBe(true);
    expect(inCompat("${tier}")).toBe("gold");
  });
  it.each([
    "${attempts} + 1 == 4",
    "${tier} in ('gold')",
    "abs(${neg}) == 2",
    "${user.name} == 1",
    "",
  ])("D5-50: %j is refused", (source) => {
    expect(refusal(source)).toMatch(/^column \d+: /);
  });
  it("D5-51: lists count as their truth, null equals None, numbers can be negative", () => {
    expect(value("${orders} == True")).toBe(true);
    expect(value("${empty} == False")).toBe(true);
    expect(value("${n} == None")).toBe(true);
    expect(value("${neg} == -2")).toBe(true);
  });
  it("D5-52: a variable can be in len() and beside it", () => {
    expect(value("len(${orders}) > 1 and ${orders}")).toBe(true);
  });
  it("D5-53: values of different types cannot be ordered", () => {
    expect(() => value("${attempts} > '2'")).toThrow(/cannot order number 3 > string "2"/);
  });
});

it("XPR1: a value in the form of an expression stays a value", () => {
  expect(value("${a} == '${b}'", { a: "${b}", b: 1 })).toBe(true);
  expect(value("${a} == 'x'", { a: "' or 'x' == 'x" })).toBe(false);
  expect(parseExpression("'${b}' == ${a}").variables).toEqual(["a"]);
});

describe("XPR2: refusals name the column", () => {
  it.each([
    ["${a} ==", "column 8: expected a value, got the end"],
    ["${a} = 1", 'column 6: "=" is no comparison'],
    ["(${a}", 'column 6: expected ")", got the end'],
    ["${a})", 'column 5: expected the end of the expression, got ")"'],
    ["${a} ${b}", "column 6: expected the end of the expression, got ${b}"],
    ["${user-name}", "column 1: a variable's name"],
    [
      "${class}",
      'column 1: a variable\'s name has letters, digits and underscores, and begins with no digit: "class" is a reserved word',
    ],
    ["${}", "column 1: a variable's name"],
    ["${a", "column 1: expected a variable"],
    ["len()", "column 5: expected a value"],
    ["len(${a}, ${b})", 'column 9: expected ")"'],
    ["len(${a} or 'b')", 'column 10: expected ")"'],
    ["'open", "column 1: the string that begins here has no end"],
    ["!!${a}", 'column 1: "!" stands before'],
    ["!True", 'column 1: "!" stands before'],
    ["${a} and", "column 9: expected a value"],
    ["and ${a}", "column 1: expected a value"],
    ["1 == not ${a}", 'column 6: expected a value, got "not"'],
    ["tier == 'gold'", 'column 1: "tier" is not valid here'],
    ["${a} is None", "column 6: expected the end"],
    ["1.2.3", "column 1: expected a number"],
    ["05", "column 1: expected a number"],
    ["5x", "column 1: expected a number"],
    ["[1]", "column 1: an expression has"],
    ["😀", "column 1: an expression has"],
    ["${a}.b", "column 5: an expression has"],
    ["lambda 1", 'column 1: "lambda" is not valid'],
    ["   ", "column 4: expected a value"],
    ["${a} &", "column 6: & needs a space"],
  ])("%j", (source, expected) => {
    expect(refusal(source)).toContain(expected);
  });

  it("of ten thousand parentheses, signs or nots the nesting", () => {
    for (const source of [
      "(".repeat(9_999),
      "-".repeat(9_999),
      "not ".repeat(2_000),
      "len(".repeat(2_000),
    ])
      expect(refusal(source)).toMatch(/nested at most 100 deep|expected a value/);
    expect(refusal("(".repeat(10_001))).toContain("at most 10000 characters");
    const deep = `${"(".repeat(100)}1${")".repeat(100)}`;
    expect(value(deep)).toBe(true);
  });

  it("but not of a long chain", () => {
    expect(value(Array.from({ length: 900 }, () => "${zero}").join(" or "))).toBe(false);
    expect(value(Array.from({ length: 900 }, () => "1").join(" < 2 and "))).toBe(true);
  });
});

describe("XPR3: variables", () => {
  it("can count as False when missing", () => {
    const expression = parseExpression("not ${missing} and ${is_admin}");
    expect(evaluateExpression(expression, CONTEXT, "false")).toBe(true);
    expect(() => evaluateExpression(expression, CONTEXT)).toThrow(/"missing", which is not set/);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "named %s exist only when they are set",
    (name) => {
      expect(() => value(`\${${name}}`, {})).toThrow(/is not set/);
      expect(value(`\${${name}} == 1`, Object.fromEntries([[name, 1]]))).toBe(true);
    },
  );

  it("may have names in any script", () => {
    expect(value("${größe} > 1 and ${名前} == 'x'", { größe: 2, 名前: "x" })).toBe(true);
  });
});

it("XPR4: the result is a boolean, in compat mode the last value", () => {
  expect(value("${zero} or ${attempts}")).toBe(true);
  expect(inCompat("${zero} or ${attempts}")).toBe(3);
  expect(inCompat("${zero} and ${attempts}")).toBe(0);
  expect(value("(${zero} or ${attempts}) == 3")).toBe(true);
  expect(() => inCompat("tier == 'gold'")).toThrow(/column 1 that has no value/);
});

it("compares as Python does", () => {
  expect(value("5 == 5.0 and True == 1 and False == 0")).toBe(true);
  expect(value("'5' == 5")).toBe(false);
  expect(["2 > 2", "2 < 2", "2 >= 2", "2 <= 2", "2 != 2"].map((each) => value(each))).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
  expect(value("'a' < 'b' and -1 < 0 and .5 < 1e1")).toBe(true);
  expect(value("${n} == False")).toBe(false);
  expect(() => value("${n} < 1")).toThrow(/cannot order null/);
  expect(value("len('a😀') == 2 and len(${o}) == 1", { o: { a: 1 } })).toBe(true);
  expect(() => value("-${tier} == 1")).toThrow(/cannot negate string "gold"/);
  expect(value("not ${attempts} == 3 or ! (${zero} | ${guest})")).toBe(true);
});

type Tree =
  | { op: "name"; name: "a" | "b" | "c" }
  | { op: "not"; of: Tree }
  | { op: "and" | "or"; left: Tree; right: Tree };

/** Writes with the fewest parentheses, so that precedence decides. */
function written(tree: Tree, within = 0): string {
  if (tree.op === "name") return `\${${tree.name}}`;
  if (tree.op === "not") return `not ${written(tree.of, 3)}`;
  const rank = tree.op === "or" ? 1 : 2;
  const text = `${written(tree.left, rank)} ${tree.op} ${written(tree.right, rank)}`;
  return rank < within ? `(${text})` : text;
}

function truth(tree: Tree, of: Record<string, boolean>): boolean {
  if (tree.op === "name") return of[tree.name] === true;
  if (tree.op === "not") return !truth(tree.of, of);
  return tree.op === "and"
    ? truth(tree.left, of) && truth(tree.right, of)
    : truth(tree.left, of) || truth(tree.right, of);
}

const { tree: trees } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    fc.record({ op: fc.constant("name" as const), name: fc.constantFrom("a", "b", "c") }),
    fc.record({ op: fc.constant("not" as const), of: tie("tree") }),
    fc.record({ op: fc.constantFrom("and", "or"), left: tie("tree"), right: tie("tree") }),
  ),
}));

it("has the precedence of a tree without needless parentheses", () => {
  fc.assert(
    fc.property(
      trees,
      fc.record({ a: fc.boolean(), b: fc.boolean(), c: fc.boolean() }),
      (tree, of) => {
        expect(value(written(tree), of)).toBe(truth(tree, of));
      },
    ),
    { numRuns: 500 },
  );
});

it("reads any text or names a column", () => {
  const word = fc.constantFrom(
    "${a}",
    "not",
    "and",
    "(",
    ")",
    "!",
    "==",
    "<",
    "1",
    "'x'",
    "len(",
    "-",
    " & ",
    "None",
    " ",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(word).map((words) => words.join(" ")),
      ),
      (source) => {
        expect(refusal(source) ?? "column 1: none").toMatch(/^column \d+: /);
      },
    ),
    { numRuns: 1_000 },
  );
});
