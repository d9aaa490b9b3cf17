// Names available in an expression.
import { partsOf, weekdayOf } from "./calendar-day.ts";
import { invalid, numeric, span, toDay } from "./arithmetic-values.ts";
import type { Value } from "./arithmetic-values.ts";

/** Arguments of a function. Each reader takes the next ones and checks them. */
export class Arguments {
  readonly #name: string;
  readonly #values: readonly Value[];

  constructor(name: string, values: readonly Value[]) {
    this.#name = name;
    this.#values = values;
  }

  numbers(atLeast: number, atMost = Number.POSITIVE_INFINITY): number[] {
    this.#count(atLeast, atMost);
    return this.#values.map((value) => numeric(value, this.#name));
  }

  days(count: number): number[] {
    this.#count(count, count);
    return this.#values.map((value) => toDay(value, this.#name));
  }

  #count(atLeast: number, atMost: number): void {
    const { length } = this.#values;
    if (length >= atLeast && length <= atMost) return;
    const range =
      atMost === atLeast
        ? `${atLeast}`
        : atMost === Number.POSITIVE_INFINITY
          ? `at least ${atLeast}`
          : `${atLeast} to ${atMost}`;
    throw invalid(`expected ${range} argument(s) for ${this.#name}, got ${length}`);
  }
}

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
]);

/**
 * Functions by name. `log` is the decimal logarithm, or the one to the base in the second argument; `ln` is the natural
 * one.
 */
export const FUNCTIONS: ReadonlyMap<string, (args: Arguments) => Value> = new Map<
  string,
  (args: Arguments) => Value
>([
  ["min", (args) => Math.min(...args.numbers(1))],
  ["max", (args) => Math.max(...args.numbers(1))],
  ["sum", (args) => total(args.numbers(1))],
  ["avg", (args) => average(args.numbers(1))],
  ["abs", (args) => Math.abs(only(args.numbers(1, 1)))],
  ["round", (args) => round(args.numbers(1, 2))],
  ["floor", (args) => Math.floor(only(args.numbers(1, 1)))],
  ["ceil", (args) => Math.ceil(only(args.numbers(1, 1)))],
  ["sqrt", (args) => Math.sqrt(only(args.numbers(1, 1)))],
  ["pow", (args) => power(args.numbers(2, 2))],
  ["log", (args) => logarithm(args.numbers(1, 2))],
  ["ln", (args) => Math.log(only(args.numbers(1, 1)))],
  ["exp", (args) => Math.exp(only(args.numbers(1, 1)))],
  ["date", (args) => ({ kind: "day", day: only(args.days(1)) })],
  ["days", (args) => span(0, only(args.numbers(1, 1)))],
  ["weeks", (args) => span(0, 7 * only(args.numbers(1, 1)))],
  ["months", (args) => span(only(args.numbers(1, 1)), 0)],
  ["years", (args) => span(12 * only(args.numbers(1, 1)), 0)],
  ["daysbetween", (args) => daysBetween(args.days(2))],
  ["weekday", (args) => weekdayOf(only(args.days(1)))],
  ["year", (args) => partsOf(only(args.days(1))).year],
  ["month", (args) => partsOf(only(args.days(1))).month],
  ["day", (args) => partsOf(only(args.days(1))).day],
]);

export function knownNames(): string {
  return [...CONSTANTS.keys(), "today", ...FUNCTIONS.keys()]
    .join(", ")
    .replace("daysbetween", "daysBetween");
}

function only([value = Number.NaN]: readonly number[]): number {
  return value;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function average(values: readonly number[]): number {
  return total(values) / values.length;
}

/** Rounds half away from zero, at the number of decimal digits in the second argument. */
function round([value = Number.NaN, digits = 0]: readonly number[]): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15)
    throw invalid(`expected -15 to 15 digits for round, got ${digits}`);
  const scaled = Number((Math.abs(value) * 10 ** digits).toPrecision(15));
  return (Math.sign(value) * Math.round(scaled)) / 10 ** digits;
}

function power([base = Number.NaN, exponent = Number.NaN]: readonly number[]): number {
  return base ** exponent;
}

function logarithm([value = Number.NaN, base = 10]: readonly number[]): number {
  return base === 10 ? Math.log10(value) : Math.log(value) / Math.log(base);
}

function daysBetween([from = Number.NaN, to = Number.NaN]: readonly number[]): number {
  return to - from;
}
