// Descriptions of tables for models.
import type { JsonValue } from "../../../base/json.ts";
import { lettersOf } from "./load-tables.ts";
import { placeOf, type NamedTable } from "./cite.ts";
import type { TableDatabase } from "./table-database.ts";
import { rowsColumn, rowsTable, type Column } from "./table-record.ts";

/** Number up to which different values are counted. */
const MAX_DISTINCT = 1_000;
/** Number up to which different values are listed. */
const MAX_LISTED = 12;
const MAX_SHOWN = 60;

/** Description of a column: its type, and values in it. */
export type ColumnProfile = {
  readonly name: string;
  readonly header: string;
  /** Place in the file: `C`. */
  readonly place: string;
  readonly type: string;
  readonly notation?: string;
  readonly values: number;
  readonly nulls: number;
  /** Number of different values; 1,001 for more than 1,000. */
  readonly distinct: number;
  readonly min: JsonValue;
  readonly max: JsonValue;
  /** All values if they are few, else some. */
  readonly examples: readonly JsonValue[];
};

/** Description of a table, for models and people. */
export type TableProfile = {
  readonly table: string;
  readonly place: string;
  readonly rows: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly headerRow: number;
  readonly columns: readonly ColumnProfile[];
  /** Peculiarities that change answers. */
  readonly notes: readonly string[];
};

export function profileOf(database: TableDatabase, named: NamedTable): TableProfile {
  const { record } = named;
  return {
    table: named.name,
    place: placeOf(named),
    rows: record.rows,
    firstRow: record.firstRow,
    lastRow: record.lastRow,
    headerRow: record.headerRow,
    columns: record.columns.map((column, index) =>
      columnProfile(database, named, { column, index }),
    ),
    notes: notesOf(named),
  };
}

function columnProfile(
  database: TableDatabase,
  { record: { id, rows, kind } }: NamedTable,
  { column, index }: { readonly column: Column; readonly index: number },
): ColumnProfile {
  const [table, own] = [rowsTable(id), rowsColumn(index)];
  const [values, min, max] = database.run(
    `SELECT count(${own}), min(${own}), max(${own}) FROM ${table}`,
  )[0] ?? [0, null, null];
  const [distinct] = database.run(
    `SELECT count(*) FROM (SELECT DISTINCT ${own} FROM ${table} WHERE ${own} IS NOT NULL LIMIT ${MAX_DISTINCT + 1})`,
  )[0] ?? [0];
  const isFew = Number(distinct) <= MAX_LISTED;
  const examples = database.run(
    isFew
      ? `SELECT DISTINCT ${own} FROM ${table} WHERE ${own} IS NOT NULL LIMIT ${MAX_LISTED}`
      : `SELECT DISTINCT ${own} FROM (SELECT ${own} FROM ${table} WHERE ${own} IS NOT NULL LIMIT 50) LIMIT 3`,
  );
  const { name, header, type, notation } = column;
  return {
    name,
    header,
    place: kind === "cells" ? lettersOf(column.place) : header,
    type,
    ...(notation === undefined ? undefined : { notation }),
    values: Number(values),
    nulls: rows - Number(values),
    distinct: Number(distinct),
    min: shown(min),
    max: shown(max),
    examples: examples.map(([value]) => shown(value)),
  };
}

function shown(value: unknown): JsonValue {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const line = value.replaceAll(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
}

function notesOf({ record }: NamedTable): readonly string[] {
  const { totals, merged, errors, leftOut, headerRow, kind } = record;
  const notes: string[] = [];
  if (headerRow === 0 && kind === "cells")
    notes.push("No header was found: columns have the letters of the sheet.");
  for (const { name, others, type } of record.columns)
    if (others > 0)
      notes.push(
        `${others} values of ${name} are no ${type}: they are NULL there, and texts in ${besideOf(record, name)}.`,
      );
  if (totals.length > 0)
    notes.push(
      `Rows that look like totals of others: ${totals.join(", ")}. Leave them out with _row NOT IN (…).`,
    );
  if (merged > 0)
    notes.push(
      `${merged} cells have the text of a merged cell; numbers of merged cells count once.`,
    );
  if (errors > 0) notes.push(`${errors} cells have an error, such as #N/A, and are NULL.`);
  if (leftOut.length > 0)
    notes.push(
      `${leftOut.length} columns are left out: ${leftOut.slice(0, 20).join(", ")}${leftOut.length > 20 ? ", …" : ""}`,
    );
  return notes;
}

function besideOf({ columns }: NamedTable["record"], name: string): string {
  const index = columns.findIndex((column) => column.name === name);
  return columns.find(({ textsOf }) => textsOf === index)?.name ?? "no column";
}

/** Returns a description as Markdown. */
export function describedText(profile: TableProfile): string {
  const { table, place, rows, firstRow, lastRow, headerRow, columns, notes } = profile;
  const header = headerRow === 0 ? "" : `, header in row ${headerRow}`;
  const lines = columns.map(
    ({ name, header: own, place: at, type, notation, nulls, distinct, min, max, examples }) =>
      `| ${[
        name,
        `${own}${at === own ? "" : ` (${at})`}`,
        notation === undefined ? type : `${type}: ${notation}`,
        String(nulls),
        distinct > MAX_DISTINCT ? `over ${MAX_DISTINCT}` : String(distinct),
        `${cell(min)} … ${cell(max)}`,
        examples.map(cell).join(", "),
      ]
        .map((text) => text.replaceAll("|", "\\|"))
        .join(" | ")} |`,
  );
  return [
    `Table ${table}: ${place}, ${rows.toLocaleString("en")} rows in rows ${firstRow} to ${lastRow}${header}. The column _row has the row in the file.`,
    "| column | in the file | type | NULL | different | from … to | values |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...lines,
    ...notes.map((note) => `- ${note}`),
  ].join("\n");
}

function cell(value: JsonValue): string {
  return value === null ? "NULL" : typeof value === "string" ? value : JSON.stringify(value);
}
