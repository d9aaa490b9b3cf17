import { EngineError } from "../../base/error.ts";
import type { ReadLimits } from "../document-text.ts";
import { DocumentLosses } from "../document-losses.ts";
import { checkLength } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { ReadingWork } from "./reading-work.ts";
import type { Cell, SheetRow } from "./sheet-rows.ts";

/** Maximum number of cells in a row. */
const MAX_COLUMNS = 100_000;
const ROWS_PER_BATCH = 500;
const CELLS_PER_PAUSE = 1_000;

export type CsvOptions = {
  readonly limits: ReadLimits;
  /** Receives guesses and faults. */
  readonly losses?: DocumentLosses;
};

/**
 * Yields the rows of a table as text, several at a time. A row is counted as in a spreadsheet: line breaks within a cell
 * make no row. Throws `invalid_input` for other bytes, `limit_exceeded` for too large cells and rows.
 */
export async function* csvRows(
  bytes: Uint8Array,
  { limits, losses = new DocumentLosses() }: CsvOptions,
): AsyncGenerator<readonly SheetRow[]> {
  const work = new ReadingWork("CSV");
  let rows: SheetRow[] = [];
  let cells: Cell[] = [];
  let [row, column] = [1, 1];
  const text = decodeText(bytes, { encoding: limits.encoding, losses });
  const broken = (): void => losses.add("malformed", { place: { row }, example: "an open quote" });
  for (const { piece: value, ends } of cellsOf(text, broken)) {
    checkLength(value.length, limits);
    work.spend(value.length + 10);
    const shown = value.trim();
    if (shown !== "") cells.push({ column, kind: "text", value, shown });
    if (++column > MAX_COLUMNS + 1)
      throw new EngineError(
        "limit_exceeded",
        `a row of the CSV has more than ${MAX_COLUMNS} cells, which is too many to read`,
      );
    if (ends === "row") {
      if (cells.length > 0) rows.push({ row, cells });
      [row, column, cells] = [row + 1, 1, []];
      if (rows.length === ROWS_PER_BATCH) {
        yield rows;
        rows = [];
      }
    }
    if (ends === "row" || column % CELLS_PER_PAUSE === 0) await work.pause();
  }
  // The last line may end with an empty cell, and without a line break.
  if (cells.length > 0) rows.push({ row, cells });
  if (rows.length > 0) yield rows;
}

/** `ends` names the end behind it: of a cell, or of the last cell of a row. */
type Piece = { readonly piece: string; readonly ends: "cell" | "row" };

/** Yields cells. A quote that is never closed is a character, as are all behind it. */
function* cellsOf(text: string, broken: () => void): Generator<Piece> {
  const { delimiter, start } = separatorOf(text);
  const separator = delimiter.charCodeAt(0);
  let isBroken = false;
  if (start > 0) yield { piece: "", ends: "row" };
  for (let at = start; at < text.length;) {
    let quoted = "";
    if (text[at] === '"' && !isBroken) {
      const end = closingQuote(text, at + 1);
      if (end === undefined) {
        isBroken = true;
        broken();
      } else {
        quoted = text.slice(at + 1, end).replaceAll('""', '"');
        at = end + 1;
      }
    }
    let end = at;
    for (let code = text.charCodeAt(end); end < text.length; code = text.charCodeAt(++end))
      if (code === separator || code === 10 || code === 13) break;
    yield {
      piece: quoted + text.slice(at, end),
      ends: text.charCodeAt(end) === separator ? "cell" : "row",
    };
    at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  }
}

/** Returns the position of the closing quote; undefined without one. Two quotes are one within a cell. */
function closingQuote(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return undefined;
}

const DELIMITERS = [",", "\t", ";", "|"] as const;
/** Stands for a table of one column. */
const NO_DELIMITER = "\u0000";
const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_LINES = 20;

/** Returns the delimiter, and the position after a line that names it for Excel, `sep=;`. */
function separatorOf(text: string): { readonly delimiter: string; readonly start: number } {
  const named = /^"?sep=([^\r\n"])"?(?:\r\n?|\n)/i.exec(text);
  if (named !== null) {
    const [line, delimiter = ","] = named;
    return { delimiter, start: line.length };
  }
  return { delimiter: delimiterOf(text), start: 0 };
}

/** Returns the delimiter most frequent in each of the first lines, without comments and titles. */
function delimiterOf(text: string): string {
  const sample = text.slice(0, SAMPLE_LENGTH).replaceAll(/"(?:[^"]|"")*"/g, "x");
  const lines = sample
    .split(/[\r\n]+/, SAMPLE_LINES)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  // The last line of a long sample is cut.
  if (sample.length === SAMPLE_LENGTH && lines.length > 1) lines.pop();
  const counts = DELIMITERS.map((delimiter) => {
    const cells = lines.map((line) => line.split(delimiter).length);
    const sorted = cells.toSorted((a, b) => a - b);
    const usual = sorted[Math.floor(sorted.length / 2)] ?? 1;
    return {
      delimiter,
      least: Math.min(...cells),
      usual,
      same: cells.filter((count) => count === usual).length,
      isInFirst: (cells[0] ?? 1) > 1,
    };
  });
  const best = counts.reduce((one, other) =>
    other.least > one.least ||
    (other.least === one.least &&
      (other.usual > 1 ? other.same : 0) * other.usual > (one.usual > 1 ? one.same : 0) * one.usual)
      ? other
      : one,
  );
  if (best.least > 1 || best.usual > 1) return best.delimiter;
  return counts.find(({ isInFirst }) => isInFirst)?.delimiter ?? NO_DELIMITER;
}
