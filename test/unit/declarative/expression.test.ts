import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/base/json.ts";
import { parseExpression } from "../../../src/declarative/expression.ts";
import { computedMs } from "../../support/computed-ms.ts";

const ROOTS = ["state", "outputs"];
const STATE = {
  n: 7,
  price: 2.5,
  two: 2,
  name: "Ada Lovelace",
  tags: ["a", "b"],
  list: [1, 2, 3],
  people: [
    { name: "Ada", age: 36 },
    { name: "Bob", age: 20 },
  ],
  gone: null,
  deep: { a: { b: 1 } },
  since: "2024-05-06T07:08:09Z",
};

function evaluate(text: string, state: JsonValue = STATE, outputs: JsonValue = {}): JsonValue {
  return parseExpression(text, ROOTS).evaluate({ values: { state, outputs } });
}

describe("an expression", () => {
  it.each<[string, JsonValue]>([
    ["state.n", 7],
    ["state.n + 1", 8],
    ["state.n / 2", 3],
    ["state.n % 4", 3],
    ["-state.n", -7],
    ["-(state.n + 1) * 2", -16],
    ["(state.n + 1) * 2", 16],
    ["state.n - (3 - 1)", 5],
    ["state.price * 2", 5],
    ["2 * state.price", 5],
    ["state.two * 1.5", 3],
    ["1e-12 + 0.0", 1e-12],
    ["0x1F", 31],
    ["state.n > 2.5 && state.n < 8", true],
    ["!(state.n > 2) || state.n == 7.0", true],
    ['state.n > 5 ? "high" : "low"', "high"],
    ["size(state.tags)", 2],
    ["state.name.size()", 12],
    ['"a" in state.tags', true],
    ['"n" in state', true],
    ["has(state.n)", true],
    ["has(state.nothing)", false],
    ["has(state.deep.a.b) && !has(state.deep.a.c)", true],
    ["state.list.map(x, x * 2)", [2, 4, 6]],
    ["state.list.map(x, x > 1, x * 2)", [4, 6]],
    ["state.list.filter(x, x > 1)", [2, 3]],
    ["state.list.exists(x, x == 2)", true],
    ["state.list.exists_one(x, x > 1)", false],
    ["state.list.all(x, x > 0)", true],
    ["state.people.filter(p, p.age > 30).map(p, p.name)", ["Ada"]],
    ["state.people[1].name", "Bob"],
    ['state["name"]', "Ada Lovelace"],
    ["state.list[state.two]", 3],
    ['state.name.startsWith("Ada") && state.name.endsWith("e")', true],
    ['state.name.contains("Love")', true],
    ['state.name.matches("^A.a\\\\s")', true],
    [String.raw`state.name.matches(r"^\w+ \w+$")`, true],
    ['state.name + "!"', "Ada Lovelace!"],
    ['state.name.split(" ")', ["Ada", "Lovelace"]],
    ["state.tags + ['c']", ["a", "b", "c"]],
    ["string(state.n) + string(state.price)", "72.5"],
    ['int("42") + int(state.price)', 44],
    ["double(state.n)", 7],
    ["state.gone", null],
    ["state.gone == null", true],
    ['{"a": [1, "x", null], "b": {"c": state.n}}', { a: [1, "x", null], b: { c: 7 } }],
    ["timestamp(state.since).getFullYear()", 2024],
    ["timestamp(state.since)", "2024-05-06T07:08:09Z"],
    ['timestamp(state.since) + duration("1h")', "2024-05-06T08:08:09Z"],
    ['timestamp("2024-05-06T07:08:09.5Z")', "2024-05-06T07:08:09.500Z"],
    ["string(timestamp(state.since))", "2024-05-06T07:08:09Z"],
    ['string(duration("90m")) + string(null)', "5400snull"],
    ['string(state.tags) + string({"a": [1, true]})', '["a","b"]{"a":[1,true]}'],
    ["${state.n + 1}", 8],
    [" ${ {'a': state.n}.a } ", 7],
    ['timestamp(state.since) > timestamp("2024-01-01T00:00:00Z")', true],
    ['duration("90m")', "5400s"],
    ['duration("1.5s")', "1.500s"],
    ['b"abc"', "YWJj"],
    ["type(state.n) == int", true],
    ["dyn(1) == 'a'", false],
    ["false && state.nothing", false],
    ["[[1, 2], [3]].map(x, x.map(y, y + 1))", [[2, 3], [4]]],
    ["state.list == [1, 2, 3]", true],
    ["// only the sum\n state.n\n + 1", 8],
    ["'${}' + \"it's\"", "${}it's"],
    ['"a" == null || state.list == null', false],
    ['timestamp(state.since) == null ? null : "known"', "known"],
    ['true ? 1 : "a"', 1],
    ['[1, 2 * 3] + state.list.map(x, "a")', [1, 6, "a", "a", "a"]],
    ['[1] + ["a"] + [[2.5]]', [1, "a", [2.5]]],
    ['{"k": [1, {"x": null}]} != {"a": 1} && [1] != ["a"] && {"a": 1} == {"a": 1}', true],
    ["[].map(x, x * 3)", []],
    ['{"list": [].filter(x, x > 2).map(x, x / 2)}', { list: [] }],
    ["double(true) + 0.5", 1.5],
    ["timestamp(state.since) == duration('1s')", false],
    ["int(true) + int(timestamp(state.since))", 1_714_979_290],
  ])("%s", (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });

  it("EP2: reads only the named fields of a state", () => {
    const state = { n: 1 };
    Object.defineProperty(state, "huge", {
      enumerable: true,
      get: () => expect.unreachable("read"),
    });
    expect(evaluate("state.n + 1", state)).toBe(2);
  });

  it("finds fields by own names alone", () => {
    for (const name of ["__proto__", "constructor", "toString"])
      expect(() => evaluate(`state.${name}`)).toThrow(/no such key/);
    const own = JSON.parse('{"__proto__": 1}') as JsonValue;
    expect(evaluate("state.__proto__", own)).toBe(1);
  });

  it.each([
    ["foo.bar", 'unknown name "foo", known here: state, outputs, at character 1'],
    ["state.n + item", 'unknown name "item", known here: state, outputs, at character 11'],
    ["cel.bind(x, 1, x)", 'unknown name "cel", known here: state, outputs'],
    ["_metered(1)", "_metered"],
    ["state.n +", "at character 10"],
    ["state.list.map(x)", "map"],
    ['1 == "a"', "no such overload"],
    ['state.name.matches("(")', 'the pattern "(" cannot be read'],
    ["  ", "it is empty"],
    [`${"(".repeat(100)}1${")".repeat(100)}`, "exceeded maxDepth (64)"],
    [`${"1 + ".repeat(4000)}1`, "10000 characters"],
  ])("EP1: %.40s is refused when it is read", (text, why) => {
    expect(() => parseExpression(text, ROOTS)).toThrow(why);
    expect(() => parseExpression(text, ROOTS)).toThrow(/^the expression ".*cannot be used: /s);
  });

  it.each([
    ["state.nothing", "no such key: nothing"],
    ["state.name + 1", "no such overload"],
    ["state.n / 0", "division by zero"],
    ["9007199254740993", "JSON does not carry exactly"],
    ["type(1)", "a value of the type"],
    ["1.0 / 0.0", "the number Infinity"],
    ["state.list[9]", "9"],
  ])("%s fails with its reason", (text, why) => {
    const expression = parseExpression(text, ROOTS);
    const run = (): unknown => expression.evaluate({ values: { state: STATE, outputs: {} } });
    expect(run).toThrow(why);
    expect(run).toThrow(/^the expression ".*" failed: /);
  });

  const many = {
    l: Array.from({ length: 3000 }, (_, index) => index),
    s: "a".repeat(5000),
    deep: [[Array.from({ length: 3000 }, () => "x")]],
    twin: [[Array.from({ length: 3000 }, () => "x")]],
    long: "a".repeat(1_000_000),
    same: "a".repeat(1_000_000),
  };
  it.each([
    ["loops in loops", "state.l.map(a, state.l.exists(b, b < 0))"],
    ["over its own results", "[state.l.map(a, a)].map(x, x.map(a, x.filter(b, b < 0)))"],
    ["swallowing its own errors", "state.l.exists(a, state.l.exists(b, state.l.exists(c, c < 0)))"],
    ["through memberships", "state.l.filter(a, state.l.filter(b, -1 in state.l) == [])"],
    ["through comparisons", "state.l.filter(a, state.l.filter(b, state.l != state.l) == [])"],
    ["through a deep value", "state.l.filter(a, state.deep == state.twin) == []"],
    ["through texts", "state.l.filter(a, state.long < state.same) == []"],
    ["through patterns", "state.l.filter(a, state.long.matches('a+b')) == []"],
    ["by doubling", `[state.l]${".map(x, x + x)".repeat(40)}`],
    ["by doubling texts", `[state.s]${".map(x, x + x)".repeat(40)}`],
  ])("EP3: ends %s, before it takes long", (_, text) => {
    const startedAt = computedMs();
    expect(() => evaluate(text, many)).toThrow(
      /goes through more than 2000000 items|makes more than 20000000 characters on the way/,
    );
    expect(computedMs() - startedAt).toBeLessThan(10_000);
  });

  const large = { s: "x".repeat(100_000), l: many.l, o: { a: "x".repeat(100_000) } };
  it.each([
    ["a text for each character", "state.s.split('').map(x, state.s)"],
    ["an object for each character", "state.s.split('').map(x, {'a': state.s})"],
    ["a list for each character", "state.s.split('').map(x, state.l)"],
    ["the whole state for each item", "state.l.map(x, state)"],
    ["one of two objects for each item", "state.l.map(x, x > 1 ? state.o : state.o)"],
    ["a field by its name for each item", "state.l.map(x, state['s'])"],
    ["loops in loops", "state.l.map(x, state.l.map(y, state.s))"],
    ["a longer text for each item", "state.l.map(x, state.s + 'a')"],
    ["a list of characters for each item", "state.l.map(x, state.s.split(''))"],
    ["bytes for each item", "state.l.map(x, bytes(state.s))"],
    ["joined texts", "state.l.map(x, state.s).join(',')"],
    ["doubling lists", `[state.l]${".map(x, [x, x, x, x])".repeat(8)}`],
    ["nested lists of one text", `[state.s]${".map(x, [x, x, x, x])".repeat(12)}`],
  ])("EP3: ends %s by its size, at once and without the memory for it", (_, text) => {
    const startedAt = computedMs();
    expect(() => evaluate(text, large)).toThrow(
      /(goes through|makes|gives) more than \d+ (items|characters)( on the way)?: have a function do that$/,
    );
    expect(computedMs() - startedAt).toBeLessThan(10_000);
  });

  it("EP3: returns existing large values", () => {
    const text = "y".repeat(5_000_000);
    expect(evaluate("state.s", { s: text })).toBe(text);
    expect(evaluate("state.s.split('').size()", { s: "x".repeat(1_000_000) })).toBe(1_000_000);
    expect(evaluate("state.l.map(x, x * 2)", many)).toHaveLength(3000);
  });

  it("matches patterns in linear time", () => {
    const startedAt = computedMs();
    expect(evaluate('state.s.matches("^(a+)+$b")', { s: `${"a".repeat(5000)}!` })).toBe(false);
    expect(computedMs() - startedAt).toBeLessThan(5_000);
  });
});

describe("now()", () => {
  it("EP4: is the start time of the flow, as a timestamp", () => {
    const expression = parseExpression("[string(now()), string(now() - duration('24h'))]", ROOTS);
    expect(expression.readsTime).toBe(true);
    const nowMs = Date.UTC(2026, 2, 1, 12);
    expect(expression.evaluate({ values: {}, nowMs })).toEqual([
      "2026-03-01T12:00:00Z",
      "2026-02-28T12:00:00Z",
    ]);
    expect(parseExpression("'now()'", ROOTS).readsTime).toBe(false);
  });
});

it("refuses a duration with text after it", () => {
  expect(() => evaluate("duration('90s' + 's')")).toThrow('invalid duration "90ss"');
  expect(evaluate("duration('-1h30m1.5s')")).toBe("-5401.500s");
});

it.each(["state.price", "timestamp(state.since)", "state.name"])(
  "refuses to go through %s",
  (text) => {
    for (const of of [text, `dyn(${text})`, `(state.n > 0 ? ${text} : [])`])
      expect(() => evaluate(`${of}.filter(x, true)`)).toThrow(
        /a list or a map is needed|range of a comprehension/,
      );
  },
);

it.each([
  ["[][0]", 0],
  ["state.list[7]", 7],
  ["state.list[-1]", -1],
])("reports that the index of %s is out of bounds", (text, index) => {
  expect(() => evaluate(text)).toThrow(`failed: the index ${index} is out of bounds`);
});
