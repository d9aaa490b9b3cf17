import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { evaluate } from "../../../../src/tools/builtin/arithmetic.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 9, 30);

function outcomeOf(expression: string): string {
  try {
    return typeof evaluate(expression, NOW_MS);
  } catch (error) {
    return EngineError.is(error) ? error.code : String(error);
  }
}

describe("evaluate", () => {
  it.each<[string, number | string]>([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["0.1 + 0.2", 0.3],
    ["2 ^ 3 ^ 2", 512],
    ["2 ** 10", 1024],
    ["-2^2", -4],
    ["(-2)^2", 4],
    ["2^-1", 0.5],
    ["--3", 3],
    ["7 % 3", 1],
    ["-7 % 3", 2],
    ["7 % -3", -2],
    ["15%", 0.15],
    ["200 * 15%", 30],
    ["100 / 10%", 1000],
    ["15% of 80", 12],
    ["100%-20%", 0.8],
    ["(1 + 2)% * 100", 3],
    ["3 × 4 ÷ 2 − 1", 5],
    ["1_000 * 2", 2000],
    ["1e3 + .5", 1000.5],
    ["min(3, 1, 2) + max(1, 5)", 6],
    ["abs(-3) + floor(2.7) + ceil(2.1)", 8],
    ["round(2.5) + round(-2.5)", 0],
    ["round(1.005, 2)", 1.01],
    ["sqrt(16) + pow(2, 3)", 12],
    ["log(1000) + ln(e) + log(8, 2)", 7],
    ["exp(0)", 1],
    ["SUM(1, 2, 3) / avg(1, 3)", 3],
    ["round(2 * pi, 4)", 6.2832],
    ["3 > 2", "true"],
    ["1 + 1 == 3", "false"],
    ["date('2026-11-20') >= '2026-11-19'", "true"],
    ["9007199254740991", 9007199254740991],
    ['date("2026-11-20") + days(3)', "2026-11-23"],
    ['"2026-12-31" + days(1)', "2027-01-01"],
    ['date("2026-01-31") + months(1)', "2026-02-28"],
    ['date("2024-02-29") + years(1)', "2025-02-28"],
    ['date("2026-03-31") - months(1) - weeks(2)', "2026-02-14"],
    ['date("2026-11-20") + 2 * days(5)', "2026-11-30"],
    ['date("2026-11-20") - date("2026-11-01")', 19],
    ['daysBetween("2026-01-01", "2027-01-01")', 365],
    ['weekday("2026-11-20")', "Friday"],
    ["weekday(today)", "Friday"],
    ["today() + days(1)", "2026-11-21"],
    ['year("2026-11-20") + month("2026-11-20") + day("2026-11-20")', 2057],
  ])("AR2, AR3: %s = %s", (expression, expected) => {
    expect(evaluate(expression, NOW_MS)).toBe(expected);
  });

  it.each<[string, RegExp]>([
    ["", /expected a number, name or date, got the end/],
    ["1 +", /got the end/],
    ["(1", /expected "\)", got "the end"/],
    ["1 2", /expected an operator or the end, got "2"/],
    ["1,234 * 2", /expected an operator or the end, got ","/],
    ["min(1,000)", /leading zeros or thousands separators/],
    ["1 / 0", /divisor other than zero/],
    ["5 % 0", /divisor other than zero/],
    ["sqrt(-1)", /finite number.*got NaN/],
    ["10 ^ 400", /finite number.*got Infinity/],
    ["foo(1)", /expected one of pi, e, today, min.*got "foo"/],
    ["sqrt", /expected "\(" after sqrt/],
    ["sqrt(1, 2)", /expected 1 argument\(s\) for sqrt, got 2/],
    ["sqrt('x')", /expected a number for "sqrt", got the text "x"/],
    ['date("2026-02-30")', /expected a date such as "2026-11-20".*got the text "2026-02-30"/],
    ['date("2026-11-20") + 3', /write days\(3\)/],
    ['date("2026-11-20") * 2', /expected a number for "\*", got the date 2026-11-20/],
    ["days(1.5)", /whole days/],
    ["days(3)", /got a span of time/],
    ['date("2026-11-20") + years(9000)', /years 1000 to 9999/],
    ['"a" < 1', /two values of a kind/],
    ["process.exit(1)", /expected/],
    ["constructor", /expected one of/],
    ["a = 1; b", /expected/],
    ["`x`", /expected a number, name, date in quotes or operator, got "`x`"/],
    ["(".repeat(200), /nested at most 64 deep/],
    ["-".repeat(200), /nested at most 64 deep/],
    ["1+".repeat(600), /at most 1000 characters, got 1200/],
  ])("AR4: refuses %j", (expression, message) => {
    const run = () => evaluate(expression, NOW_MS);
    expect(run).toThrow(message);
    expect(run).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });

  it("knows no today without a clock", () => {
    expect(() => evaluate("today")).toThrow(/"today" is not known here/);
  });

  it("AR1: returns a value or refuses with invalid_input, for any expression", () => {
    const pieces = fc.constantFrom(
      "1",
      "2.5",
      "+",
      "-",
      "*",
      "/",
      "%",
      "^",
      "(",
      ")",
      ",",
      "min",
      "days",
      "date",
      "today",
      "'2026-01-31'",
      "<",
      "=",
      " ",
      "of",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 20 }).map((all) => all.join("")),
        ),
        (expression) => {
          expect(["number", "string", "invalid_input"]).toContain(outcomeOf(expression));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("agrees with JavaScript on sums and products of integers", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -999, max: 999 }),
        fc.integer({ min: -999, max: 999 }),
        fc.integer({ min: 1, max: 99 }),
        (a, b, c) => {
          expect(evaluate(`${a} + ${b} * ${c} - (${a} - ${b})`)).toBe(a + b * c - (a - b));
        },
      ),
    );
  });
});
