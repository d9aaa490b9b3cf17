import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { ReadingWork } from "./reading-work.ts";

/** Names and types of tables as text. */
export const CSV = {
  name: "csv",
  mediaTypes: ["text/csv", "text/tab-separated-values"],
  extensions: [".csv", ".tsv"],
} as const;

/** Reads cells joined by spaces, a line for each row. Rows are counted as in a spreadsheet, including blank ones. */
export const csvReader: DocumentReader = {
  ...CSV,
  read: async (bytes, limits) => {
    const work = new ReadingWork("CSV");
    const builder = new TextBuilder(limits);
    let [row, length] = [1, 0];
    let line: string[] = [];
    for (const { piece, ends } of csvPieces(decodeText(bytes))) {
      line.push(ends === "cell" ? `${piece} ` : piece);
      length += piece.length + 1;
      builder.check(length);
      work.spend(piece.length + 10);
      if (ends === "row") {
        const text = line.join("");
        if (text.trim() !== "") builder.addRow(text, { row });
        [row, length, line] = [row + 1, 0, []];
      }
      await work.pause();
    }
    return builder.build();
  },
};

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
