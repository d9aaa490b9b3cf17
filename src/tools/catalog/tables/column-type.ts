// Types of columns, and values in them.
//
//   TBC1. A column has the type of nine tenths of its first values. Values of another type are NULL in it, and texts in a column
//         beside it, so that no comparison or sum mixes types.
//   TBC2. A column of texts has every value as it is shown: `007` stays `007`.
//   TBC3. A value that a merged cell covers is its text, and never its number: a sum counts each number once.
import type { Cell } from "../../../knowledge/readers/sheet-rows.ts";
import type { TableValue } from "./table-database.ts";
import type { Column, ColumnType } from "./table-record.ts";
import {
  clockOf,
  dateOf,
  dayOrderOf,
  isDateInParts,
  isNullText,
  numberOf,
  numberStyleOf,
} from "./typed-texts.ts";

const SHARE = 0.9;

/** Type and notation of a column. */
export type ColumnReading = Pick<Column, "type" | "notation">;

/** Infers the type of a column from its first cells (TBC1). */
export function columnTypeOf(cells: readonly Cell[]): ColumnReading {
  const values = cells.filter((cell) => cell.value !== null && !isNullCell(cell));
  const texts = values.flatMap(({ kind, value }) => (kind === "text" ? [String(value)] : []));
  const style = numberStyleOf(texts);
  const order = dayOrderOf(texts);
  const counts = new Map<ColumnType, number>();
  const units = new Set<string>();
  for (const cell of values) {
    const type = typeOf(cell, { style, order, units });
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const [type, count] = [...counts].reduce<[ColumnType, number]>(
    (best, each) => (each[1] > best[1] ? each : best),
    ["text", 0],
  );
  if (type === "text" || count < values.length * SHARE) {
    const isUnclear = order === undefined && texts.length > 0 && texts.every(isDateInParts);
    return { type: "text", ...(isUnclear ? { notation: UNCLEAR } : undefined) };
  }
  const hasTime = type === "date" && values.some((cell) => hasTimeOf(cell, order));
  const notation = notationOf(type, { style, order, units, hasTexts: texts.length > 0, hasTime });
  return { type, ...(notation === "" ? undefined : { notation }) };
}

const UNCLEAR = "dates with an unclear order of day and month";
const COMMA = "decimal comma";
const DAY_FIRST = "day first";
const MONTH_FIRST = "month first";
const WITH_TIME = "with time";

function hasTimeOf({ kind, value }: Cell, order: Notation["order"]): boolean {
  const date = kind === "text" ? dateOf(String(value), order) : String(value);
  return date !== undefined && date.length > 10;
}

function notationOf(
  type: ColumnType,
  {
    style,
    order,
    units,
    hasTexts,
    hasTime,
  }: Notation & {
    readonly units: ReadonlySet<string>;
    readonly hasTexts: boolean;
    readonly hasTime: boolean;
  },
): string {
  const parts: string[] = [];
  if (type === "number") {
    parts.push(...[...units].slice(0, 8));
    if (style === "comma" && hasTexts) parts.push(COMMA);
  }
  if (type === "date" && order !== undefined) parts.push(order === "dmy" ? DAY_FIRST : MONTH_FIRST);
  if (hasTime) parts.push(WITH_TIME);
  if (type === "duration") parts.push("seconds");
  return parts.join(", ");
}

type Notation = {
  readonly style: "point" | "comma";
  readonly order: "dmy" | "mdy" | undefined;
};

function typeOf(
  { kind, value }: Cell,
  { style, order, units }: Notation & { readonly units: Set<string> },
): ColumnType {
  if (kind === "error") return "text";
  if (kind !== "text") return kind;
  const text = String(value);
  const number = numberOf(text, style);
  if (number !== undefined) {
    if (number.unit !== undefined) units.add(number.unit);
    return "number";
  }
  if (order === undefined && isDateInParts(text)) return "text";
  if (dateOf(text, order) !== undefined) return "date";
  if (clockOf(text) !== undefined) return "time";
  return /^(?:true|false)$/i.test(text.trim()) ? "boolean" : "text";
}

export type ReadValue = {
  readonly value: TableValue;
  /** Text of a value of another type than its column's. */
  readonly other?: string;
};

const NULL: ReadValue = { value: null };
const MAX_TEXT = 32_767;

/** Returns the value of a cell in its column. */
export function valueIn({ type, notation = "" }: ColumnReading, cell: Cell): ReadValue {
  const { kind, value, merged } = cell;
  if (value === null) return NULL;
  if (merged !== undefined && (kind === "number" || kind === "duration")) return NULL;
  if (type === "text") return { value: textOf(cell) };
  if (isNullCell(cell)) return NULL;
  if (kind === type) return { value: timed(plainValue(cell), notation) };
  const read = kind === "text" ? readText(type, String(value), notation) : undefined;
  return read === undefined
    ? { value: null, other: textOf(cell) }
    : { value: timed(read, notation) };
}

/** Adds the time to a date of a column with times, so equal times are equal texts. */
function timed(value: TableValue, notation: string): TableValue {
  const isBare = notation.includes(WITH_TIME) && typeof value === "string" && value.length === 10;
  return isBare ? `${value} 00:00:00` : value;
}

function readText(type: ColumnType, text: string, notation: string): TableValue | undefined {
  switch (type) {
    case "number":
      return numberOf(text, notation.includes(COMMA) ? "comma" : "point")?.value;
    case "date":
      return dateOf(
        text,
        notation.includes(DAY_FIRST) ? "dmy" : notation.includes(MONTH_FIRST) ? "mdy" : undefined,
      );
    case "time":
      return clockOf(text);
    case "boolean":
      return /^true$/i.test(text.trim()) ? 1 : /^false$/i.test(text.trim()) ? 0 : undefined;
    default:
      return undefined;
  }
}

function plainValue({ kind, value }: Cell): TableValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return kind === "date" ? String(value).replace("T", " ") : value;
}

function textOf({ kind, value, shown }: Cell): string {
  const text =
    kind === "text"
      ? String(value)
      : kind === "date"
        ? String(plainValue({ column: 0, kind, value, shown }))
        : shown;
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT).toWellFormed() : text;
}

function isNullCell({ kind, value }: Cell): boolean {
  return kind === "text" && isNullText(String(value));
}
