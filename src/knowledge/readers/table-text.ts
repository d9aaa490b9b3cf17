import type { TextBuilder } from "../text-builder.ts";
import { cellName, type Cell, type Header, type SheetRow } from "./sheet-rows.ts";
import { HEADER_ROWS, headerOf } from "./table-header.ts";

const BETWEEN = " | ";

/** Writes rows of tables as lines of named cells, `item: teapot | pieces: 4`, so that a row is clear without its header. */
export class TableText {
  readonly #builder: TextBuilder;
  #sheet: string | undefined;
  #header: Header | undefined;
  /** The first rows of a table, until its header is known. */
  #first: SheetRow[] | undefined = [];

  constructor(builder: TextBuilder) {
    this.#builder = builder;
  }

  add(rows: readonly SheetRow[]): void {
    for (const row of rows) {
      if (row.sheet !== this.#sheet) {
        this.end();
        this.#sheet = row.sheet;
      }
      if (this.#first === undefined) this.#write(row);
      else if (this.#first.push(row) === HEADER_ROWS) this.#begin(this.#first);
    }
  }

  /** Ends the table. */
  end(): void {
    if (this.#first !== undefined) this.#begin(this.#first);
    this.#first = [];
    this.#header = undefined;
  }

  #begin(rows: readonly SheetRow[]): void {
    this.#first = undefined;
    this.#header = headerOf(rows);
    for (const row of rows) this.#write(row);
  }

  #write({ sheet, row, cells }: SheetRow): void {
    const header = this.#header !== undefined && row > this.#header.row ? this.#header : undefined;
    const line: string[] = [];
    let length = 0;
    let before: string | undefined;
    for (const cell of cells) {
      const place = cell.merged ?? cellName(cell.column, row);
      // A cell merged over several columns is written once.
      if (place === before) continue;
      before = place;
      const text = cellText(cell, header?.names.get(cell.column));
      length += text.length + BETWEEN.length;
      this.#builder.check(length);
      line.push(text);
    }
    const place = sheet === undefined ? { row } : { sheet, row };
    if (line.length > 0) this.#builder.addRow(line.join(BETWEEN), place);
  }
}

function cellText({ shown, note }: Cell, name: string | undefined): string {
  const text = shown.replaceAll(/\s+/g, " ").trim();
  const noted = note === undefined ? text : `${text} (${note})`.trim();
  return name === undefined ? noted : `${name}: ${noted}`;
}
