// Rows of tables with typed cells, the common form of XLSX, ODS and CSV.

/** A cell with content. */
export type Cell = {
  /** Column, from 1. */
  readonly column: number;
  readonly kind: "text" | "number" | "boolean" | "date" | "time" | "duration" | "error";
  /**
   * Dates are in ISO 8601, with a time after a `T` if there is one; times are `18:00:00`; durations are in seconds;
   * errors are null. Cells of CSV are texts.
   */
  readonly value: string | number | boolean | null;
  /** Text of the cell as it is displayed, on one line or several. */
  readonly shown: string;
  /** Place of the merged cell with this value, such as `A2`: this cell is covered by it. */
  readonly merged?: string;
  /** Comments on the cell. */
  readonly note?: string;
};

export type SheetRow = {
  /** Name of the sheet; absent in CSV. */
  readonly sheet?: string;
  /** Row, from 1, as a spreadsheet counts: blank rows count, and are not among the rows. */
  readonly row: number;
  /** By column, ascending; empty cells are absent. */
  readonly cells: readonly Cell[];
};

/** Names of columns, and their row. */
export type Header = {
  /** The last row of the header. */
  readonly row: number;
  /** Names by column, from 1. Each one is unique. */
  readonly names: ReadonlyMap<number, string>;
};

/** Returns the place of a cell: `B7`. */
export function cellName(column: number, row: number): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCodePoint(65 + ((rest - 1) % 26)) + letters;
  return `${letters}${row}`;
}

/** Returns the column of a place, from 1: `C7` is in column 3. */
export function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < 3; at++) {
    const letter = (place.charCodeAt(at) | 32) - 96;
    if (!(letter >= 1 && letter <= 26)) break;
    column = column * 26 + letter;
  }
  return Math.max(1, column);
}
