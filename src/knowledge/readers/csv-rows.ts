import { EngineError } from "../../base/error.ts";
import type { ReadLimits } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { ReadingWork } from "./reading-work.ts";
import type { Cell, SheetRow } from "./sheet-rows.ts";

/** Maximum number of cells in a row. */
const MAX_COLUMNS = 16_384;
const ROWS_PER_BATCH = 500;

/**
 * Yields the rows of a table as text, several at a time. A row is counted as in a spreadsheet: line breaks within a cell
 * make no row. Throws `invalid_input` for other bytes, `limit_exceeded` for too large cells and rows.
 */
export async function* csvRows(
  bytes: Uint8Array,
  { limits }: { readonly limits: ReadLimits },
): AsyncGenerator<readonly SheetRow[]> {
  const work = new ReadingWork("CSV");
  let rows: SheetRow[] = [];
  let cells: Cell[] = [];
  let [row, column, value] = [1, 1, ""];
  for (const { piece, ends } of csvPieces(decodeText(bytes))) {
    value += piece;
    checkLength(value.length, limits);
    work.spend(piece.length + 10);
    if (ends !== "nothing") {
      const shown = value.trim();
      if (shown !== "") cells.push({ column, kind: "text", value, shown });
      value = "";
      if (++column > MAX_COLUMNS + 1)
        throw new EngineError(
          "limit_exceeded",
          `a row of the CSV has more than ${MAX_COLUMNS} cells, which is too many to read`,
        );
    }
    if (ends === "row") {
      if (cells.length > 0) rows.push({ row, cells });
      [row, column, cells] = [row + 1, 1, []];
      if (rows.length === ROWS_PER_BATCH) {
        yield rows;
        rows = [];
      }
    }
    await work.pause();
  }
  if (rows.length > 0) yield rows;
}

/** `ends` names the end at this piece: the cell, the cell and its row, or neither. */
type Piece = { readonly piece: string; readonly ends: "cell" | "row" | "nothing" };

/** Yields cells, and quoted cells in pieces. No piece is longer than the text between two quotes. */
export function* csvPieces(text: string): Generator<Piece> {
  const delimiter = delimiterOf(text);
  const special = new RegExp(delimiter === "|" ? "[|\r\n]" : `[${delimiter}\r\n]`, "g");
  for (let at = 0; at < text.length;) {
    if (text[at] === '"') at = yield* quotedPieces(text, at + 1);
    special.lastIndex = at;
    const end = special.exec(text)?.index ?? text.length;
    yield { piece: text.slice(at, end), ends: text[end] === delimiter ? "cell" : "row" };
    at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  }
}

/** Yields pieces up to the closing quote, or the end of the text. Returns the position after it. */
function* quotedPieces(text: string, start: number): Generator<Piece, number> {
  for (let at = start; ;) {
    const end = text.indexOf('"', at);
    if (end === -1 || text[end + 1] !== '"') {
      yield { piece: text.slice(at, end === -1 ? undefined : end), ends: "nothing" };
      return end === -1 ? text.length : end + 1;
    }
    yield { piece: text.slice(at, end + 1), ends: "nothing" };
    at = end + 2;
  }
}

const DELIMITERS = [",", "\t", ";", "|"] as const;
const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_LINES = 10;

/** Returns the delimiter most frequent in each of the first lines. */
function delimiterOf(text: string): string {
  const sample = text.slice(0, SAMPLE_LENGTH).replaceAll(/"(?:[^"]|"")*"/g, "x");
  const lines = sample.split(/[\r\n]+/, SAMPLE_LINES).filter((line) => line.trim() !== "");
  const counts = DELIMITERS.map((delimiter) => ({
    delimiter,
    least: Math.min(...lines.map((line) => line.split(delimiter).length)),
    all: lines.reduce((sum, line) => sum + line.split(delimiter).length, 0),
  }));
  return counts.reduce((best, each) =>
    each.least > best.least || (each.least === best.least && each.all > best.all) ? each : best,
  ).delimiter;
}
