// Header rows of tables.
//
//   TH1. The header is the first row of texts that spans most columns of the rows after it; rows above it are titles.
//   TH2. A row is no header if it has a number, a date or the same text twice, or if a text of it is a value of its
//        column in a later row.
import type { Cell, Header, SheetRow } from "./sheet-rows.ts";

/** Number of a table's first rows in which its header is looked for. */
export const HEADER_ROWS = 24;
const MAX_NAME = 120;
/** Maximum number of rows above a header. */
const MAX_TITLES = 8;
const VALUE =
  /^(?:[-+(]?\s*[\p{Sc}]?\s*[-+]?\d[\d\s.,'’]*\s*(?:%|[\p{Sc}]|[A-Z]{3})?\)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?|\d{1,2}:\d{2}.*|true|false|yes|no|n\/a|null|nan|[\w.+-]+@[\w-]+\.[\w.]+|https?:\S+)$/iu;

/** Returns the header of a table by its first rows; undefined for a table without one. */
export function headerOf(rows: readonly SheetRow[]): Header | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const width = usualWidth(rows);
  for (const [index, row] of rows.entries()) {
    const own = row.cells.filter(({ merged }) => merged === undefined);
    if (isComment(row)) continue;
    if (own.length < Math.max(1, Math.ceil(width * 0.6))) {
      // Titles and groups of columns have fewer cells, and a row of data with so few is before no header.
      if (index < MAX_TITLES && (own.every(isName) || own.length < row.cells.length)) continue;
      return undefined;
    }
    return isHeader(own, rows.slice(index + 1))
      ? { row: row.row, names: namesOf(row.cells, rows.slice(0, index), row.row) }
      : undefined;
  }
  return undefined;
}

/** True for a line of a comment among the rows of a table. */
export function isComment({ cells }: SheetRow): boolean {
  const [first] = cells;
  return first?.column === 1 && /^#(?:\s|$)/.test(first.shown);
}

/** Returns the number of cells in most rows. */
function usualWidth(rows: readonly SheetRow[]): number {
  const widths = rows.map(({ cells }) => cells.length).toSorted((a, b) => a - b);
  return widths[Math.floor(widths.length / 2)] ?? 0;
}

function isName({ kind, shown }: Cell): boolean {
  return kind === "text" && shown.length <= MAX_NAME && !VALUE.test(shown.trim());
}

function isHeader(cells: readonly Cell[], rest: readonly SheetRow[]): boolean {
  if (rest.length === 0 || !cells.every(isName)) return false;
  if (new Set(cells.map(({ shown }) => shown.trim().toLowerCase())).size < cells.length)
    return false;
  const values = new Map<number, Set<string>>();
  for (const row of rest)
    for (const { column, shown } of row.cells)
      values.set(column, (values.get(column) ?? new Set()).add(shown.trim().toLowerCase()));
  return cells.every(
    ({ column, shown }) => values.get(column)?.has(shown.trim().toLowerCase()) !== true,
  );
}

/** Names columns by their header, with a merged cell of the row above it before it: `2025 Q1`. */
function namesOf(
  cells: readonly Cell[],
  above: readonly SheetRow[],
  row: number,
): ReadonlyMap<number, string> {
  const group = above.at(-1);
  const spans = new Map<number, string>();
  if (group?.row === row - 1 && group.cells.some(({ merged }) => merged !== undefined))
    for (const { column, shown } of group.cells) spans.set(column, oneLine(shown));
  const names = new Map<number, string>();
  const known = new Set<string>();
  for (const { column, shown, merged } of cells) {
    const span = merged === undefined ? spans.get(column) : undefined;
    const own = oneLine(shown);
    const base = span === undefined || span === own ? own : `${span} ${own}`;
    let name = base;
    for (let number = 2; known.has(name); number++) name = `${base} ${number}`;
    known.add(name);
    names.set(column, name);
  }
  return names;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
