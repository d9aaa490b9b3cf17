// Citations: the cells of an answer.
import { lettersOf } from "./load-tables.ts";
import type { TableRecord } from "./table-record.ts";

/** Source of an answer's row. */
export type Citation = {
  readonly file: string;
  readonly sheet?: string;
  /** `B7`, `C2:C2001`, or `line 7`. */
  readonly cells: string;
  /** Number of rows, if they are more than one. */
  readonly rows?: number;
};

/** A table with its name in SQL and its file. */
export type NamedTable = {
  readonly name: string;
  readonly file: string;
  readonly record: TableRecord;
};

/** Rows of a table from the first to the last one, and their number. */
export type RowSpan = { readonly first: number; readonly last: number; readonly count: number };

const MAX_RUNS = 8;

/** Returns the citation of rows, with the cells of some columns; without a column, of all. */
export function citationOf(
  { file, record }: NamedTable,
  { first, last, count }: RowSpan,
  columns: readonly number[],
): Citation {
  const { sheet } = record;
  const cells =
    record.kind === "cells"
      ? cellsOf(record, { first, last, columns })
      : linesOf(record, { first, last, columns });
  return {
    file,
    ...(sheet === undefined ? undefined : { sheet }),
    cells,
    ...(count === 1 ? undefined : { rows: count }),
  };
}

export function placeOf({ file, record: { sheet } }: NamedTable): string {
  return sheet === undefined ? file : `${file} / ${sheet}`;
}

/** Returns `C2:C2001 (1,412 rows)`. */
export function cellsText({ cells, rows }: Citation): string {
  return rows === undefined ? cells : `${cells} (${rows.toLocaleString("en")} rows)`;
}

export function citationText(citation: Citation): string {
  const { file, sheet } = citation;
  return [file, ...(sheet === undefined ? [] : [sheet]), cellsText(citation)].join(" / ");
}

type Span = { readonly first: number; readonly last: number; readonly columns: readonly number[] };

function cellsOf(record: TableRecord, { first, last, columns }: Span): string {
  const used = columns.length === 0 ? record.columns.map((_, index) => index) : columns;
  const places = used
    .flatMap((index) => record.columns[index]?.place ?? [])
    .toSorted((a, b) => a - b);
  const runs: Array<{ from: number; to: number }> = [];
  for (const place of places) {
    const run = runs.at(-1);
    if (run !== undefined && place === run.to + 1) run.to = place;
    else if (run?.to !== place) runs.push({ from: place, to: place });
  }
  const shown = runs.slice(0, MAX_RUNS).map(({ from, to }) => {
    const start = `${lettersOf(from)}${first}`;
    const end = `${lettersOf(to)}${last}`;
    return start === end ? start : `${start}:${end}`;
  });
  return runs.length > MAX_RUNS ? `${shown.join(", ")}, …` : shown.join(", ");
}

function linesOf(record: TableRecord, { first, last, columns }: Span): string {
  const word = record.kind === "lines" ? "line" : "row";
  const place = first === last ? `${word} ${first}` : `${word}s ${first}–${last}`;
  const names = columns.flatMap((index) => record.columns[index]?.header ?? []);
  const shown = names.length > MAX_RUNS ? [...names.slice(0, MAX_RUNS), "…"] : names;
  return shown.length === 0 ? place : `${place}, ${shown.join(", ")}`;
}
