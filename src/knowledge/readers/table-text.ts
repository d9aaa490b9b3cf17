// Tables as text.
//
//   TT1. A row is a line of named cells, `item: teapot | pieces: 4`, so that it is clear without the header.
//   TT2. A table that is too long with the names in each row is read without them.
import { EngineError } from "../../base/error.ts";
import { DocumentLosses } from "../document-losses.ts";
import type { DocumentText, ReadLimits } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { cellName, type Cell, type Header, type SheetRow } from "./sheet-rows.ts";
import { HEADER_ROWS, headerOf, isComment } from "./table-header.ts";

const BETWEEN = " | ";

/** Returns rows of tables as the text of a document. `rowsOf` yields them, and may be called twice (TT2). */
export async function tableText(
  limits: ReadLimits,
  rowsOf: (losses: DocumentLosses) => AsyncIterable<readonly SheetRow[]>,
): Promise<DocumentText> {
  const named = new TableText(limits, { isNamed: true });
  try {
    return await textOf(named, rowsOf);
  } catch (error) {
    const isTooLong = EngineError.is(error) && error.code === "limit_exceeded";
    if (!isTooLong || named.nameLength === 0) throw error;
    return textOf(new TableText(limits, { isNamed: false }), rowsOf);
  }
}

async function textOf(
  table: TableText,
  rowsOf: (losses: DocumentLosses) => AsyncIterable<readonly SheetRow[]>,
): Promise<DocumentText> {
  const losses = new DocumentLosses();
  for await (const rows of rowsOf(losses)) table.add(rows);
  return { ...table.build(), ...losses.report() };
}

class TableText {
  readonly #builder: TextBuilder;
  readonly #isNamed: boolean;
  #sheet: string | undefined;
  #header: Header | undefined;
  /** The first rows of a table, until its header is known. */
  #first: SheetRow[] | undefined = [];
  /** Characters of names in the text. */
  nameLength = 0;

  constructor(limits: ReadLimits, { isNamed }: { readonly isNamed: boolean }) {
    this.#builder = new TextBuilder(limits);
    this.#isNamed = isNamed;
  }

  add(rows: readonly SheetRow[]): void {
    for (const row of rows) {
      if (row.sheet !== this.#sheet) {
        this.#end();
        this.#sheet = row.sheet;
      }
      if (this.#first === undefined) this.#write(row);
      else if (this.#first.push(row) === HEADER_ROWS) this.#begin(this.#first);
    }
  }

  build(): DocumentText {
    this.#end();
    return this.#builder.build();
  }

  #end(): void {
    if (this.#first !== undefined) this.#begin(this.#first);
    this.#first = [];
    this.#header = undefined;
  }

  #begin(rows: readonly SheetRow[]): void {
    this.#first = undefined;
    this.#header = this.#isNamed ? headerOf(rows) : undefined;
    for (const row of rows) this.#write(row);
  }

  #write(of: SheetRow): void {
    const { sheet, row, cells } = of;
    const header = this.#header;
    const isNamed = header !== undefined && row > header.row && !isComment(of);
    let line = "";
    const hasMerged = cells.some(({ merged }) => merged !== undefined);
    let before: string | undefined;
    for (const cell of cells) {
      if (hasMerged) {
        const place = cell.merged ?? cellName(cell.column, row);
        // A cell merged over several columns is written once.
        if (place === before) continue;
        before = place;
      }
      const name = isNamed ? header.names.get(cell.column) : undefined;
      if (name !== undefined) this.nameLength += name.length + 2;
      const text = cellText(cell, name);
      line += line === "" ? text : BETWEEN + text;
      this.#builder.check(line.length);
    }
    const place = sheet === undefined ? { row } : { sheet, row };
    const isOneLine = !/\s\s|[^\S ]/.test(line);
    const text = isOneLine ? line : line.replaceAll(/\s+/g, " ").trim();
    if (text !== "") this.#builder.addRow(text, place);
  }
}

function cellText({ shown, note }: Cell, name: string | undefined): string {
  const noted = note === undefined ? shown : `${shown} (${note})`.trim();
  return name === undefined ? noted : `${name}: ${noted}`;
}
