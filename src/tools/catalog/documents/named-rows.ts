import type { DocumentReader } from "../../../knowledge/document-text.ts";
import { csvPieces, CSV } from "../../../knowledge/readers/csv-reader.ts";
import { decodeText } from "../../../knowledge/readers/decode-text.ts";
import { ReadingWork } from "../../../knowledge/readers/reading-work.ts";
import { TextBuilder } from "../../../knowledge/text-builder.ts";

const BETWEEN = " | ";

/**
 * Reads tables into rows with named cells: `item: teapot | pieces: 4`. So a passage is understandable without the
 * table's header, which is the first row unless that row has numbers or gaps.
 */
export const namedRowsReader: DocumentReader = {
  ...CSV,
  read: async (bytes, limits) => {
    const work = new ReadingWork("CSV");
    const builder = new TextBuilder(limits);
    let names: readonly string[] | undefined;
    let cells: string[] = [];
    let cell = "";
    let row = 1;
    for (const { piece, ends } of csvPieces(decodeText(bytes))) {
      cell += piece;
      builder.check(cell.length);
      work.spend(piece.length + 10);
      if (ends !== "nothing") {
        cells.push(cell.trim());
        cell = "";
      }
      if (ends === "row") {
        const text = rowText(cells, names ?? []);
        names ??= isHead(cells) ? cells : [];
        if (text !== "") builder.addRow(text, { row });
        [row, cells] = [row + 1, []];
      }
      await work.pause();
    }
    return builder.build();
  },
};

function rowText(cells: readonly string[], names: readonly string[]): string {
  return cells
    .map((cell, column) => {
      const name = names[column];
      return cell === "" || name === undefined ? cell : `${name}: ${cell}`;
    })
    .filter((text) => text !== "")
    .join(BETWEEN);
}

function isHead(cells: readonly string[]): boolean {
  return (
    cells.every((cell) => cell !== "" && !/^[\d\s.,%€$£+-]+$/.test(cell)) &&
    new Set(cells).size === cells.length
  );
}
