// Arithmetic and dates: the calculator tool.
//
//   AR1. No input is run as code. Only the grammar below reads the text.
//   AR2. Unary minus binds weaker than power (-2^2 is -4), power groups to the right, `%` after a number is percent.
//   AR3. Numbers are doubles. Rounding to 15 digits removes floating-point errors of fractions (0.1 + 0.2).
//   AR4. Text length and nesting are limited, so time is too.
import { preview } from "../../base/json.ts";
import { Arguments, CONSTANTS, FUNCTIONS, knownNames } from "./arithmetic-functions.ts";
import { tokenize } from "./arithmetic-tokens.ts";
import type { Token } from "./arithmetic-tokens.ts";
import { add, compare, invalid, multiply, numeric } from "./arithmetic-values.ts";
import type { Day, Value } from "./arithmetic-values.ts";
import { dayOf, formatDay } from "./calendar-day.ts";

const MAX_LENGTH = 1_000;
const MAX_DEPTH = 64;

/**
 * Evaluates an expression to a number, a date as `YYYY-MM-DD`, a weekday's name, or `true` / `false` of a comparison.
 * `today` is the UTC day of `nowMs`.
 *
 * Fails with `invalid_input` and a message with the actual and the expected input.
 */
export function evaluate(expression: string, nowMs?: number): number | string {
  if (expression.length > MAX_LENGTH) {
    throw invalid(`an expression has at most ${MAX_LENGTH} characters, got ${expression.length}`);
  }
  return toResult(new Evaluator(tokenize(expression), nowMs).run(), expression);
}

function toResult(value: Value, expression: string): number | string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return value;
  if (typeof value === "object") {
    if (value.kind === "day") return formatDay(value.day);
    throw invalid(
      `expected a number or a date as the result of ${preview(expression)}, got a span of time`,
    );
  }
  if (!Number.isFinite(value))
    throw invalid(`expected a finite number as the result of ${preview(expression)}, got ${value}`);
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

class Evaluator {
  readonly #tokens: readonly Token[];
  readonly #nowMs: number | undefined;
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], nowMs: number | undefined) {
    this.#tokens = tokens;
    this.#nowMs = nowMs;
  }

  run(): Value {
    const value = this.#comparison();
    const rest = this.#tokens[this.#position];
    if (rest !== undefined)
      throw invalid(`expected an operator or the end, got ${preview(rest.text)}`);
    return value;
  }

  #comparison(): Value {
    if (++this.#depth > MAX_DEPTH)
      throw invalid(`an expression is nested at most ${MAX_DEPTH} deep, got more`);
    const left = this.#sum();
    const sign = this.#takeSign("<", "<=", ">", ">=", "==", "=", "!=");
    const value = sign === undefined ? left : compare(left, this.#sum(), sign);
    this.#depth--;
    return value;
  }

  #sum(): Value {
    let left = this.#product();
    for (let sign = this.#takeSign("+", "-"); sign !== undefined; sign = this.#takeSign("+", "-")) {
      left = add(left, this.#product(), sign);
    }
    return left;
  }

  #product(): Value {
    let left = this.#unary();
    for (;;) {
      const sign = this.#takeSign("*", "/", "%") ?? (this.#takeWord("of") ? "*" : undefined);
      if (sign === undefined) return left;
      left = multiply(left, this.#unary(), sign);
    }
  }

  #unary(): Value {
    if (this.#takeSign("+") !== undefined) return this.#nested(() => this.#unary());
    if (this.#takeSign("-") !== undefined)
      return multiply(
        -1,
        this.#nested(() => this.#unary()),
        "*",
      );
    return this.#power();
  }

  #power(): Value {
    const base = this.#operand();
    if (this.#takeSign("^", "**") === undefined) return base;
    return (
      numeric(base, "^") **
      numeric(
        this.#nested(() => this.#unary()),
        "^",
      )
    );
  }

  #operand(): Value {
    let value = this.#primary();
    while (this.#tokens[this.#position]?.kind === "percent") {
      this.#position++;
      value = numeric(value, "%") / 100;
    }
    return value;
  }

  #primary(): Value {
    const token = this.#tokens[this.#position++];
    if (token === undefined) throw invalid("expected a number, name or date, got the end");
    if (token.kind === "number") return Number(token.text);
    if (token.kind === "text") return token.text;
    if (token.kind === "word") return this.#named(token.text);
    if (token.text !== "(")
      throw invalid(`expected a number, name or date, got ${preview(token.text)}`);
    const value = this.#comparison();
    this.#close();
    return value;
  }

  #named(name: string): Value {
    const isCall = this.#takeSign("(") !== undefined;
    if (name === "today" && (!isCall || this.#takeSign(")") !== undefined)) return this.#today();
    const constant = CONSTANTS.get(name);
    if (!isCall && constant !== undefined) return constant;
    const call = FUNCTIONS.get(name);
    if (call === undefined) throw invalid(`expected one of ${knownNames()}; got ${preview(name)}`);
    if (!isCall)
      throw invalid(
        `expected "(" after ${name}, got ${preview(this.#tokens[this.#position]?.text ?? "the end")}`,
      );
    const values: Value[] = [];
    if (this.#takeSign(")") === undefined) {
      do values.push(this.#comparison());
      while (this.#takeSign(",") !== undefined);
      this.#close();
    }
    return call(new Arguments(name, values));
  }

  #today(): Day {
    if (this.#nowMs === undefined)
      throw invalid('"today" is not known here; expected a date such as date("2026-11-20")');
    return { kind: "day", day: dayOf(this.#nowMs) };
  }

  #nested(read: () => Value): Value {
    if (++this.#depth > MAX_DEPTH)
      throw invalid(`an expression is nested at most ${MAX_DEPTH} deep, got more`);
    const value = read();
    this.#depth--;
    return value;
  }

  #close(): void {
    if (this.#takeSign(")") === undefined) {
      throw invalid(
        `expected ")", got ${preview(this.#tokens[this.#position]?.text ?? "the end")}`,
      );
    }
  }

  #takeSign(...signs: readonly string[]): string | undefined {
    const sign = this.#peek("sign");
    if (!signs.includes(sign)) return undefined;
    this.#position++;
    return sign;
  }

  #takeWord(word: string): boolean {
    if (this.#peek("word") !== word) return false;
    this.#position++;
    return true;
  }

  #peek(kind: Token["kind"]): string {
    const token = this.#tokens[this.#position];
    return token?.kind === kind ? token.text : "";
  }
}
