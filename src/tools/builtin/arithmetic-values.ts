// Values of expressions and operations on them.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { addMonths, formatDay, isInCalendar, parseDay } from "./calendar-day.ts";
import { ORDERINGS, isOrdering } from "../../base/ordering.ts";

/** Span of time. Months and days are separate, as months differ in length. */
export type Span = { readonly kind: "span"; readonly months: number; readonly days: number };
export type Day = { readonly kind: "day"; readonly day: number };
export type Value = number | string | boolean | Day | Span;

export function span(months: number, days: number): Span {
  if (!Number.isInteger(months) || !Number.isInteger(days))
    throw invalid(`expected whole days and months, got ${months || days}`);
  return { kind: "span", months, days };
}

export function add(left: Value, right: Value, sign: string): Value {
  const direction = sign === "-" ? -1 : 1;
  if (typeof left === "number" && typeof right === "number") return left + direction * right;
  if (isSpan(left) && isSpan(right)) {
    return span(left.months + direction * right.months, left.days + direction * right.days);
  }
  if (isSpan(right)) return moved(toDay(left, sign), right, direction);
  if (isSpan(left) && sign === "+") return moved(toDay(right, sign), left, 1);
  if (sign === "-" && isDayLike(left) && isDayLike(right))
    return toDay(left, sign) - toDay(right, sign);
  const hint = isDayLike(left) ? "; write days(3) for a number of days" : "";
  throw invalid(
    `expected two numbers, or a date and a span for "${sign}", got ${kindOf(left)} and ${kindOf(right)}${hint}`,
  );
}

function moved(day: number, by: Span, direction: number): Day {
  return {
    kind: "day",
    day: inCalendar(addMonths(day, direction * by.months) + direction * by.days),
  };
}

export function multiply(left: Value, right: Value, sign: string): Value {
  if (sign === "*" && isSpan(right)) return multiply(right, left, sign);
  if (sign === "*" && isSpan(left))
    return span(left.months * numeric(right, sign), left.days * numeric(right, sign));
  const [a, b] = [numeric(left, sign), numeric(right, sign)];
  if (sign === "*") return a * b;
  if (b === 0) throw invalid(`expected a divisor other than zero for "${sign}", got 0`);
  // The result has the sign of the divisor, as in spreadsheets: -7 % 3 is 2.
  return sign === "/" ? a / b : a - b * Math.floor(a / b);
}

export function compare(left: Value, right: Value, sign: string): boolean {
  const [a, b] = [comparable(left), comparable(right)];
  if (typeof a !== typeof b)
    throw invalid(
      `expected two values of a kind to compare, got ${kindOf(left)} and ${kindOf(right)}`,
    );
  if (isOrdering(sign)) return ORDERINGS[sign](a, b);
  return (a === b) === (sign !== "!=");
}

function comparable(value: Value): number | string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return parseDay(value) ?? value;
  if (typeof value === "number") return value;
  if (value.kind === "day") return value.day;
  throw invalid("expected numbers or dates to compare, got a span of time");
}

export function numeric(value: Value, operator: string): number {
  if (typeof value === "number") return value;
  throw invalid(`expected a number for "${operator}", got ${kindOf(value)}`);
}

export function toDay(value: Value, operator: string): number {
  if (typeof value === "object" && value.kind === "day") return value.day;
  const day = typeof value === "string" ? parseDay(value.trim()) : undefined;
  if (day !== undefined) return day;
  throw invalid(`expected a date such as "2026-11-20" for "${operator}", got ${kindOf(value)}`);
}

function inCalendar(day: number): number {
  if (isInCalendar(day)) return day;
  throw invalid("expected a date in the years 1000 to 9999, got one outside");
}

function isSpan(value: Value): value is Span {
  return typeof value === "object" && value.kind === "span";
}

function isDayLike(value: Value): boolean {
  return typeof value === "string"
    ? parseDay(value.trim()) !== undefined
    : typeof value === "object" && value.kind === "day";
}

function kindOf(value: Value): string {
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "string") return `the text ${preview(value, 40)}`;
  if (typeof value === "boolean") return String(value);
  return value.kind === "day" ? `the date ${formatDay(value.day)}` : "a span of time";
}

export function invalid(message: string): EngineError {
  return new EngineError("invalid_input", message);
}
