import type { TextBuilder } from "../text-builder.ts";
import { TableSpans } from "./table-spans.ts";

/** Maximum length of a table cell on one line; a longer cell is cut at its paragraphs. */
const MAX_CELL_LINE = 200;
const MAX_INDENT = 20;
/** Maximum number of columns of a cell. */
const MAX_COLUMNS = 1_000;

/** Joins headings, paragraphs, lists and tables as in Markdown. */
export class BlockText {
  readonly #builder: TextBuilder;
  #line: string[] = [];
  #length = 0;
  #breaks = 0;
  #prefix = "";
  #cells = 0;
  /** Open tables, from the outermost on. */
  readonly #tables: TableSpans[] = [];
  /** Columns of the last cell after its first one. */
  #emptyColumns = 0;
  /** Readings of characters (ruby), after whose last one they are written. */
  #readings = "";
  /** True in a heading, whose text is one line. */
  #isHeading = false;
  /** Maximum number of line breaks between two lines. */
  readonly #most: number;

  /** `isTight`: no blank lines between blocks. */
  constructor(builder: TextBuilder, { isTight = false }: { readonly isTight?: boolean } = {}) {
    this.#builder = builder;
    this.#most = isTight ? 1 : 2;
  }

  write(text: string): void {
    if (this.#readings !== "" && text.trim() !== "") this.#endReadings();
    this.#add(text);
  }

  /** Writes characters with a reading, which is written in parentheses after the last of consecutive ones. */
  annotated(text: string, reading: string): void {
    if (text === "") return;
    this.#add(text);
    this.#readings += reading.trim();
    this.#builder.check(this.#length + this.#readings.length);
  }

  #endReadings(): void {
    const readings = this.#readings;
    this.#readings = "";
    if (readings !== "") this.#add(`(${readings})`);
  }

  #add(text: string): void {
    this.#line.push(text);
    this.#tables.at(-1)?.write(text);
    this.#length += text.length;
    this.#builder.check(this.#length);
  }

  /** Ends the line, with at least this many line breaks before the next one. */
  break(lines: 1 | 2): void {
    if (this.#isHeading || (this.#cells > 0 && this.#length < MAX_CELL_LINE)) this.write(" ");
    else this.#end(lines);
  }

  heading(level: number): void {
    this.#end(2);
    this.#prefix = `${"#".repeat(level)} `;
    this.#isHeading = true;
  }

  endHeading(): void {
    this.#isHeading = false;
    this.#end(2);
  }

  /** Begins an item of a list; `depth` counts from 0. */
  item(depth: number, mark: string): void {
    this.#end(1);
    this.#prefix = `${"  ".repeat(Math.max(0, Math.min(depth, MAX_INDENT)))}${mark} `;
  }

  table(): void {
    this.#tables.push(new TableSpans());
  }

  row(): void {
    this.#end(1);
    this.#cells = 0;
    this.#tables.at(-1)?.row();
  }

  endRow(): void {
    for (const text of this.#tables.at(-1)?.rest() ?? []) this.#cell(text);
    this.#emptyColumns = 0;
    this.#end(1);
    this.#cells = 0;
  }

  /** Begins a cell over some rows and columns; texts of cells above that reach into the row come before it. */
  cell({
    rows = 1,
    columns = 1,
  }: { readonly rows?: number; readonly columns?: number } = {}): void {
    for (; this.#emptyColumns > 0; this.#emptyColumns--) this.#cell("");
    const above = this.#tables.at(-1)?.cell(rows, columns) ?? [];
    for (const text of above) this.#cell(text);
    this.#cell("");
    this.#emptyColumns = Math.max(0, Math.min(columns, MAX_COLUMNS) - 1);
  }

  #cell(text: string): void {
    this.#endReadings();
    // Separators and repeated texts are not part of the cell.
    this.#line.push(this.#cells++ > 0 ? ` | ${text}` : text);
    this.#length += text.length + 3;
    this.#builder.check(this.#length);
  }

  endTable(): void {
    this.endRow();
    this.#tables.pop();
    this.#end(2);
  }

  /** Adds text unchanged, between fences. */
  verbatim(text: string): void {
    this.#end(2);
    if (text.trim() === "") return;
    const fence = text.includes("```") ? "~~~~~" : "```";
    this.#put(`${fence}\n${text.replace(/^\n/, "").trimEnd()}\n${fence}`);
    this.#breaks = 2;
  }

  /** Returns the start of the next line. */
  mark(): number {
    this.#end(2);
    return this.#builder.length;
  }

  #end(lines: 1 | 2): void {
    this.#endReadings();
    if (this.#line.length > 0) {
      const text = this.#line
        .join("")
        .replaceAll(/ \s+|[^\S ]\s*/g, " ")
        .trim();
      this.#line = [];
      this.#length = 0;
      if (text !== "" && !/^(\| ?)+$/.test(text)) {
        this.#put(this.#prefix + text);
        this.#prefix = "";
        this.#breaks = 0;
      }
    }
    this.#breaks = Math.max(this.#breaks, lines);
  }

  #put(text: string): void {
    const isFirst = this.#builder.length === 0;
    this.#builder.add(isFirst ? text : "\n".repeat(Math.min(this.#breaks, this.#most)) + text);
  }
}
