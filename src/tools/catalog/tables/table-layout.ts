// Layout of a table by its first rows: its header, and its columns with their types.
import { cellName, type Cell, type SheetRow } from "../../../knowledge/readers/sheet-rows.ts";
import { headerOf } from "../../../knowledge/readers/table-header.ts";
import { columnTypeOf } from "./column-type.ts";
import { SqlNames } from "./sql-names.ts";
import type { Column, TableFacts } from "./table-record.ts";
import type { RowBatch } from "./row-batch.ts";
import { numberOf } from "./typed-texts.ts";

/** Maximum number of columns in SQL: a Durable Object's tables and results have at most 100. */
export const MAX_COLUMNS = 97;
const HEADER_LOOK = 24;
const LOOK = 60;

type Names = { readonly row: number; readonly names: ReadonlyMap<number, string> };

/** Returns the layout of a table by its first rows. */
export function layoutOf(
  rows: readonly SheetRow[],
  { sheet, kind, names: known }: Pick<RowBatch, "sheet" | "kind" | "names">,
): TableFacts {
  const header = known === undefined ? headerIn(rows) : { row: 0, names: known };
  const data = rows.filter(({ row }) => row > (header?.row ?? 0));
  const places = new Set<number>(header?.names.keys());
  for (const { cells } of data) for (const { column } of cells) places.add(column);
  const taker = new SqlNames();
  const all = [...places]
    .toSorted((a, b) => a - b)
    .map((place) => {
      const cells = data.flatMap((row) => row.cells.filter(({ column }) => column === place));
      return columnAt(place, { header: header?.names.get(place), cells, taker });
    });
  return {
    ...(sheet === undefined ? undefined : { sheet }),
    kind,
    headerRow: header?.row ?? 0,
    columns: all.slice(0, MAX_COLUMNS),
    leftOut: all.slice(MAX_COLUMNS).map((column) => column.header),
    totals: [],
    merged: 0,
    errors: 0,
  };
}

/** Returns a column found in rows after the first ones. */
export function laterColumn(
  place: number,
  {
    header,
    cells,
    columns,
  }: {
    readonly header: string | undefined;
    readonly cells: readonly Cell[];
    readonly columns: readonly Column[];
  },
): Column {
  const taker = new SqlNames(columns.map(({ name }) => name));
  return columnAt(place, { header, cells, taker });
}

/** Returns the column with a column's values of other types. */
export function textsBeside(
  { name, header, place }: Column,
  { index, columns }: { readonly index: number; readonly columns: readonly Column[] },
): Column {
  const taker = new SqlNames(columns.map((each) => each.name));
  const own = taker.take(`${name}_text`, "text");
  return { name: own, header: `${header}: texts`, place, type: "text", others: 0, textsOf: index };
}

function columnAt(
  place: number,
  {
    header,
    cells,
    taker,
  }: {
    readonly header: string | undefined;
    readonly cells: readonly Cell[];
    readonly taker: SqlNames;
  },
): Column {
  const letters = cellName(place, 1).slice(0, -1);
  const shown = header === undefined || header === "" ? letters : header;
  return {
    name: taker.take(shown, `column_${letters.toLowerCase()}`),
    header: shown,
    place,
    ...columnTypeOf(cells),
    others: 0,
  };
}

/** Returns the header of a table; of a table without titles also one with years, or with a name twice. */
function headerIn(rows: readonly SheetRow[]): Names | undefined {
  const found = headerOf(rows.slice(0, HEADER_LOOK));
  if (found !== undefined) return found;
  const [first, ...rest] = rows.slice(0, LOOK);
  if (first === undefined || rest.length === 0) return undefined;
  const own = first.cells.filter(({ merged }) => merged === undefined);
  const widths = rest.map(({ cells }) => cells.length).toSorted((a, b) => a - b);
  const width = widths[Math.floor(widths.length / 2)] ?? 0;
  if (own.length < Math.ceil(width * 0.6) || !own.every(isHeading)) return undefined;
  if (own.every((cell) => yearOf(cell) !== undefined)) return undefined;
  if (!own.some((cell) => differs(cell, rest))) return undefined;
  return {
    row: first.row,
    names: new Map(own.map(({ column, shown }) => [column, shown.replaceAll(/\s+/g, " ").trim()])),
  };
}

function isHeading(cell: Cell): boolean {
  if (yearOf(cell) !== undefined) return true;
  return (
    cell.kind === "text" && cell.shown.length <= 200 && numberOf(cell.shown, "point") === undefined
  );
}

function yearOf({ kind, shown }: Cell): number | undefined {
  const year = kind === "number" || kind === "text" ? Number(shown) : Number.NaN;
  return Number.isInteger(year) && year >= 1800 && year <= 2200 ? year : undefined;
}

/** True for a heading over values of another form: numbers or dates below a text, or values that never repeat it. */
function differs(heading: Cell, rest: readonly SheetRow[]): boolean {
  const below = rest.flatMap(({ cells }) =>
    cells.filter(({ column }) => column === heading.column),
  );
  if (below.length === 0) return false;
  if (yearOf(heading) !== undefined) return below.some((cell) => yearOf(cell) === undefined);
  const { type } = columnTypeOf(below);
  if (type !== "text") return true;
  const own = heading.shown.trim().toLowerCase();
  return below.every(({ shown }) => shown.trim().toLowerCase() !== own);
}
