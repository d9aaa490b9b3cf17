// Cells of a table over several rows or columns: a row repeats the cells above that reach into it.
//
//   TS1. Work of a row is bounded by the cells that it shows; rows without cells of their own cost nothing.

/** Maximum number of columns with spans, and of columns of a cell, as in HTML. */
const MAX_COLUMNS = 1_000;
/** Maximum length of a repeated text; a longer cell is an empty place in the rows below. */
const MAX_REPEATED = 200;

type Span = { readonly untilRow: number; readonly text: string };

export class TableSpans {
  readonly #spans = new Map<number, Span>();
  #row = 0;
  #column = 0;
  /** The open cell, if it has rows below. */
  #open: { readonly column: number; readonly columns: number; readonly rows: number } | undefined;
  #pieces: string[] = [];
  #length = 0;

  /** Begins a row. */
  row(): void {
    this.endCell();
    this.#row++;
    this.#column = 0;
  }

  /** Begins a cell. Returns the texts of the columns before it since the last cell. */
  cell(rows: number, columns: number): readonly string[] {
    this.endCell();
    const before = this.#covered();
    const width = Math.max(1, Math.min(columns, MAX_COLUMNS));
    const column = this.#column;
    this.#column += width;
    if (rows > 1 && column + width <= MAX_COLUMNS) this.#open = { column, columns: width, rows };
    return before;
  }

  /** Adds text to the open cell. */
  write(text: string): void {
    if (this.#open === undefined || this.#length > MAX_REPEATED) return;
    this.#pieces.push(text);
    this.#length += text.length;
  }

  endCell(): void {
    if (this.#open === undefined) return;
    const { column, columns, rows } = this.#open;
    const whole = this.#pieces.join("").replaceAll(/\s+/g, " ").trim();
    const text = whole.length > MAX_REPEATED ? "" : whole;
    const untilRow = this.#row + rows;
    for (let at = column; at < column + columns; at++)
      this.#spans.set(at, { untilRow, text: at === column ? text : "" });
    this.#open = undefined;
    this.#pieces = [];
    this.#length = 0;
  }

  /** Returns the texts of the columns after the last cell of a row. */
  rest(): readonly string[] {
    this.endCell();
    return this.#column === 0 ? [] : this.#covered();
  }

  #covered(): string[] {
    const texts: string[] = [];
    for (let span = this.#spans.get(this.#column); span !== undefined;) {
      if (span.untilRow <= this.#row) {
        this.#spans.delete(this.#column);
        break;
      }
      texts.push(span.text);
      span = this.#spans.get(++this.#column);
    }
    return texts;
  }
}
