import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { ReadingWork } from "./reading-work.ts";

/** Cells joined by spaces, a line for each row. Rows are counted as a spreadsheet does: blank ones, too. */
export const csvReader: DocumentReader = {
  name: "csv",
  mediaTypes: ["text/csv", "text/tab-separated-values"],
  extensions: [".csv", ".tsv"],
  read: async (bytes, limits) => {
    const work = new ReadingWork("CSV");
    const builder = new TextBuilder(limits);
    let row = 0;
    for (const { text, characters } of rowsOf(decodeText(bytes), limits.maxCharacters)) {
      row++;
      if (text.trim() !== "") builder.addRow(text, { row });
      work.spend(characters + 10);
      // oxlint-disable-next-line no-await-in-loop -- between pieces of work
      await work.pause();
    }
    return builder.build();
  },
};

type Row = { readonly text: string; readonly characters: number };

/** A row that has more than `most` characters is cut: it is too long a text anyway. */
function* rowsOf(text: string, most: number): Generator<Row> {
  const delimiter = delimiterOf(text);
  const special = new RegExp(delimiter === "|" ? "[|\r\n]" : `[${delimiter}\r\n]`, "g");
  for (let at = 0; at < text.length;) {
    const start = at;
    let cells = "";
    for (let isOver = false; !isOver;) {
      if (text[at] === '"') {
        const end = endOfQuoted(text, at);
        cells += text.slice(at + 1, end).replaceAll('""', '"');
        at = end + 1;
      }
      special.lastIndex = at;
      const end = special.exec(text)?.index ?? text.length;
      cells += text.slice(at, end);
      isOver = text[end] !== delimiter;
      if (!isOver) cells += " ";
      at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
      if (cells.length > most) isOver = true;
    }
    yield { text: cells, characters: at - start };
  }
}

/** Of a quote that is not doubled; the end of the text where there is none. */
function endOfQuoted(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return text.length;
}

const DELIMITERS = [",", "\t", ";", "|"] as const;
const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_LINES = 10;

/** The one that each of the first lines has most of. */
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
