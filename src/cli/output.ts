// Output of a command.
//
//   OUT1. Results go to standard output, other text to standard error. With `--json` standard output holds one JSON
//         document, or one line of JSON for each event.
//   OUT2. Colours and fitted tables are for terminals: piped output is complete, separated by tabs, without control
//         codes.
//   OUT3. Foreign text cannot move the cursor: its control characters are shown as spaces.
import { styleText } from "node:util";
import fastStringWidth from "fast-string-width";
import type { JsonValue } from "../base/json.ts";

/** Target of text. */
export type Sink = {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Undefined without a terminal. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

export type OutputSettings = {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
};

/** A column of a table. */
export type Column<Row> = {
  readonly title: string;
  /** Text of a row. */
  readonly of: (row: Row) => string;
  /** Never cut: other commands take its texts. @default true for the first of several columns */
  readonly isWhole?: boolean;
};

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Columns narrower than this are never cut. */
const MIN_WIDTH = 12;
const GAP = 2;

export class Output {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly #quiet: boolean;
  readonly #color: boolean;

  constructor({ stdout, stderr, json, quiet, verbose, color }: OutputSettings) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.isJson = json;
    this.isVerbose = verbose;
    this.#quiet = quiet;
    this.#color = color;
  }

  /** Prints the result: as JSON if requested, else as text. */
  result(value: JsonValue | object, text: () => string): void {
    this.stdout.write(`${this.isJson ? JSON.stringify(value, null, 2) : text()}\n`);
  }

  /** Prints one of many values, each on its own line. */
  line(value: JsonValue, text: () => string): void {
    this.stdout.write(`${this.isJson ? JSON.stringify(value) : text()}\n`);
  }

  /** Prints a note beside the result. */
  note(text: string): void {
    if (!this.#quiet) this.stderr.write(`${text}\n`);
  }

  /** Prints a fault, also when quiet. */
  fault(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  style(style: Style, text: string): string {
    return this.#color ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Prints a list as the result: a table, or the items as JSON. */
  table<Row>(
    {
      rows,
      value,
      none,
    }: { readonly rows: readonly Row[]; readonly value: JsonValue; readonly none: string },
    columns: readonly Column<Row>[],
  ): void {
    if (this.isJson) this.result(value, () => "");
    else if (rows.length === 0) this.note(none);
    else this.stdout.write(`${this.#lines(rows, columns).join("\n")}\n`);
  }

  #lines<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): readonly string[] {
    const cells = rows.map((row) => columns.map(({ of }) => plain(of(row))));
    if (!this.stdout.isTerminal) return cells.map((row) => row.join("\t"));
    const titles = columns.map(({ title }) => title);
    const widths = titles.map((title, index) =>
      Math.max(...[title, ...cells.map((row) => row[index] ?? "")].map(widthOf)),
    );
    const isWhole = columns.map(
      (column, index) => column.isWhole ?? (index === 0 && columns.length > 1),
    );
    const fitted = fittedWidths(widths, { isWhole, columns: this.stdout.columns ?? 80 });
    const line = (row: readonly string[]): string =>
      row
        .map((cell, index) => {
          const width = fitted[index] ?? 0;
          return padded(cutTo(cell, width), width);
        })
        .join(" ".repeat(GAP))
        .trimEnd();
    return [this.style("bold", line(titles)), ...cells.map(line)];
  }
}

/** Takes from the widest columns until a line fits, or nothing is left to take. */
function fittedWidths(
  widths: readonly number[],
  { isWhole, columns }: { readonly isWhole: readonly boolean[]; readonly columns: number },
): readonly number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  for (; over > 0; over--) {
    const most = Math.max(...fitted.map((width, index) => (isWhole[index] ? 0 : width)));
    if (most <= MIN_WIDTH) break;
    const widest = fitted.findLastIndex((width, index) => !isWhole[index] && width === most);
    fitted[widest] = most - 1;
  }
  return fitted;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** Returns a text on one line, without characters that move the cursor or change the direction of text. */
export function plain(text: string): string {
  return text.replace(CONTROL, " ").trim();
}

/** Returns the width of a text in columns of a terminal. */
export function widthOf(text: string): number {
  return fastStringWidth(text);
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Cuts a text to a width, with a mark at its end. */
export function cutTo(text: string, width: number, mark = "…"): string {
  if (widthOf(text) <= width) return text;
  let fits = "";
  let taken = 0;
  for (const { segment } of SEGMENTS.segment(text)) {
    taken += widthOf(segment);
    if (taken > width - mark.length) break;
    fits += segment;
  }
  return width < mark.length ? "" : fits + mark;
}

const SEGMENTS = new Intl.Segmenter();
