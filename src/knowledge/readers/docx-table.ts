import type { BlockText } from "./block-text.ts";
import { valueOf } from "./docx-styles.ts";
import { attribute, type Attributes } from "./markup.ts";

/** Maximum length of the text of a cell that the rows below repeat. */
const MAX_REPEATED = 200;
const MAX_COLUMNS = 1_000;

/** Cell of the open row, before its first text. */
type Cell = { columns: number; merge: "none" | "begins" | "continues" };

/** Rows and cells of the outermost table. A cell over several rows stands in each of them. */
export class DocxTable {
  readonly #text: BlockText;
  #depth = 0;
  #column = 0;
  #cell: Cell | undefined;
  /** Texts of cells over several rows, by column. */
  readonly #merged = new Map<number, string>();
  #open: { readonly column: number; text: string } | undefined;

  constructor(text: BlockText) {
    this.#text = text;
  }

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  open(): void {
    if (this.#depth++ > 0) return;
    this.#text.break(2);
    this.#text.table();
  }

  /** Reads an element of a table. Returns false for other elements. */
  part(name: string, attributes: Attributes): boolean {
    if (this.#depth !== 1) return false;
    if (name === "tr") {
      this.#column = 0;
      this.#text.row();
    } else if (name === "tc") this.#cell = { columns: 1, merge: "none" };
    else if (this.#cell === undefined) return false;
    else if (name === "gridSpan")
      this.#cell.columns = Math.max(1, Math.min(Number(valueOf(attributes)) || 1, MAX_COLUMNS));
    else if (name === "vMerge")
      this.#cell.merge = attribute(attributes, "val") === "restart" ? "begins" : "continues";
    else return false;
    return true;
  }

  /** Begins the text of a cell, whose properties are known now. */
  beginText(): void {
    const cell = this.#cell;
    if (cell === undefined) return;
    this.#cell = undefined;
    this.#text.cell({ columns: cell.columns });
    const column = this.#column;
    this.#column += cell.columns;
    if (cell.merge === "begins") this.#open = { column, text: "" };
    else if (cell.merge === "continues") this.#text.write(this.#merged.get(column) ?? "");
    else this.#merged.delete(column);
  }

  write(text: string): void {
    if (this.#open !== undefined && this.#open.text.length <= MAX_REPEATED) this.#open.text += text;
  }

  /** Returns false for elements outside of tables. */
  close(name: string): boolean {
    if (this.#depth === 0) return false;
    if (name === "tbl") {
      if (--this.#depth === 0) {
        this.#merged.clear();
        this.#text.endTable();
      }
    } else if (this.#depth > 1) return false;
    else if (name === "tc") this.#endCell();
    else if (name === "tr") this.#text.endRow();
    else return false;
    return true;
  }

  #endCell(): void {
    this.beginText();
    if (this.#open === undefined) return;
    const { column, text } = this.#open;
    this.#open = undefined;
    const whole = text.replaceAll(/\s+/g, " ").trim();
    this.#merged.set(column, whole.length > MAX_REPEATED ? "" : whole);
  }
}
