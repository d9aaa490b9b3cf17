// The names that an expression may use.
import { partsOf, weekdayOf } from "./calendar-day.ts";
import { invalid, numeric, span, toDay } from "./arithmetic-values.ts";
import type { Value } from "./arithmetic-values.ts";

/** What a function was given; each reader takes the next one and checks it. */
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

/** `log` is the decimal logarithm, or that of the base given second; `ln` is the natural one. */
export const FUNCTIONS: ReadonlyMap<string, (given: Arguments) => Value> = new Map<
  string,
  (given: Arguments) => Value
>([
  ["min", (given) => Math.min(...given.numbers(1))],
  ["max", (given) => Math.max(...given.numbers(1))],
  ["sum", (given) => total(given.numbers(1))],
  ["avg", (given) => average(given.numbers(1))],
  ["abs", (given) => Math.abs(only(given.numbers(1, 1)))],
  ["round", (given) => round(given.numbers(1, 2))],
  ["floor", (given) => Math.floor(only(given.numbers(1, 1)))],
  ["ceil", (given) => Math.ceil(only(given.numbers(1, 1)))],
  ["sqrt", (given) => Math.sqrt(only(given.numbers(1, 1)))],
  ["pow", (given) => power(given.numbers(2, 2))],
  ["log", (given) => logarithm(given.numbers(1, 2))],
  ["ln", (given) => Math.log(only(given.numbers(1, 1)))],
  ["exp", (given) => Math.exp(only(given.numbers(1, 1)))],
  ["date", (given) => ({ kind: "day", day: only(given.days(1)) })],
  ["days", (given) => span(0, only(given.numbers(1, 1)))],
  ["weeks", (given) => span(0, 7 * only(given.numbers(1, 1)))],
  ["months", (given) => span(only(given.numbers(1, 1)), 0)],
  ["years", (given) => span(12 * only(given.numbers(1, 1)), 0)],
  ["daysbetween", (given) => daysBetween(given.days(2))],
  ["weekday", (given) => weekdayOf(only(given.days(1)))],
  ["year", (given) => partsOf(only(given.days(1))).year],
  ["month", (given) => partsOf(only(given.days(1))).month],
  ["day", (given) => partsOf(only(given.days(1))).day],
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

/** Half away from zero, at the decimal digits given second. */
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
