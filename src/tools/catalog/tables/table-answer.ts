// Results in the form for models: rows, the cells of each, and the rows left out.
import { toolResult, type ResultSource, type ToolResult } from "../../tool-result.ts";
import { resultTable, rowObjects } from "../sql/result-table.ts";
import { cellsText, citationText, placeOf, type Citation } from "./cite.ts";
import type { TableAnswer } from "./query-tables.ts";

const MAX_SOURCES = 20;
/** Rows of the data with their citations. */
const MAX_DATA_ROWS = 500;

/** Returns a result with its citations. */
export function answerResult(answer: TableAnswer): ToolResult {
  const { columns, rows, more, isOpen, cited, citations, read } = answer;
  const isCited = citations.length > 0;
  const marked = isCited
    ? {
        columns: [...columns, ...cited.map((table) => `cells of ${placeOf(table)}`)],
        rows: rows.map((row, index) => [
          ...row,
          ...(citations[index] ?? []).map((each) => (each === undefined ? null : cellsText(each))),
        ]),
        more,
        isOpen,
      }
    : { columns, rows, more, isOpen };
  const used = isCited ? distinct(citations.flat()) : read;
  const readText = read.map(citationText).join("; ");
  const text = `${resultTable(marked)}\n\n${readText === "" ? "No table was read." : `Read: ${readText}`}`;
  const objects = rowObjects({ columns, rows: rows.slice(0, MAX_DATA_ROWS), more, isOpen });
  return toolResult({
    text,
    data: {
      rows: objects,
      ...(isCited
        ? { citations: citations.map((row) => row.flatMap((each) => each ?? [])) }
        : undefined),
      read: [...read],
      more,
      hasMore: isOpen,
    },
    sources: used.slice(0, MAX_SOURCES).map(sourceOf),
    untrusted: [...new Set(read.map(({ file }) => file))],
  });
}

function sourceOf(citation: Citation): ResultSource {
  return { url: citation.file, title: citationText(citation) };
}

function distinct(citations: ReadonlyArray<Citation | undefined>): readonly Citation[] {
  const known = new Map<string, Citation>();
  for (const each of citations)
    if (each !== undefined && known.size < MAX_SOURCES) known.set(citationText(each), each);
  return [...known.values()];
}
