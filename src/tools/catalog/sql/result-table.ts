// Rows in the form for models.
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { SqlRows } from "./database.ts";

const MAX_CELL = 200;
const MAX_CHARACTERS = 16_000;

/** Returns a Markdown table of the rows that fit, and the number of the other rows. */
export function resultTable({ columns, rows, more, isOpen }: SqlRows): string {
  if (columns.length === 0 || (rows.length === 0 && more === 0)) return "The query gave no rows.";
  const lines = [lineOf(columns), lineOf(columns.map(() => "---"))];
  let length = lines.join("\n").length;
  let shown = 0;
  for (const row of rows) {
    const line = lineOf(row.map(cellOf));
    if (shown > 0 && length + line.length + 1 > MAX_CHARACTERS) break;
    lines.push(line);
    length += line.length + 1;
    shown++;
  }
  const left = rows.length - shown + more;
  if (left > 0 || isOpen) lines.push(`(+${left} rows${isOpen ? ", and more" : ""})`);
  return lines.join("\n");
}

/** Returns rows as objects. Repeated column names get a number. */
export function rowObjects({ columns, rows }: SqlRows): readonly JsonObject[] {
  const names = columns.map((name, index) => {
    const before = columns.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
  return rows.map((row) =>
    Object.fromEntries(names.map((name, index) => [name, jsonOf(row[index])])),
  );
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  const bytes = bytesOf(value);
  if (bytes !== undefined) return `<${bytes} bytes>`;
  const text = typeof value === "string" ? value : textOf(value);
  const line = text.replaceAll(/\s*[\r\n]+\s*/g, " ").replaceAll("|", "\\|");
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1).toWellFormed()}…` : line;
}

function textOf(value: unknown): string {
  return typeof value === "bigint" ? value.toString() : (JSON.stringify(value) ?? "");
}

function jsonOf(value: unknown): JsonValue {
  const bytes = bytesOf(value);
  if (bytes !== undefined) return `<${bytes} bytes>`;
  if (typeof value === "bigint") return value.toString();
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) return null;
  return value as JsonValue;
}

function bytesOf(value: unknown): number | undefined {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : undefined;
}
