import { EngineError } from "../../base/error.ts";
import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader, DocumentText, ReadLimits } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { DataLimits, dataLines, recordLine, type DataNode } from "./data-text.ts";
import { decodeText } from "./decode-text.ts";
import { jsonData, JsonFault, parseJsonData } from "./json-data.ts";
import { ReadingWork } from "./reading-work.ts";

/**
 * Reads JSON as `key: value` and `- item` lines, indented by two spaces for each level. Records of a list are apart by a
 * blank line. A file of one value a line is read as JSON Lines.
 */
export const jsonReader: DocumentReader = {
  name: "json",
  mediaTypes: ["application/json", "application/geo+json", "application/ld+json"],
  extensions: [".json", ".geojson", ".jsonld"],
  read: async (bytes, limits) => {
    const losses = new DocumentLosses();
    const text = decodeText(bytes, { encoding: limits.encoding, losses });
    const work = new ReadingWork("JSON");
    const lines: number[] = [];
    let data: DataNode;
    try {
      data = await parseJsonData(text, new DataLimits("JSON"), { work, lines });
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      if (isLines(text)) return linesText(text, limits, losses);
      const line = text.slice(0, error.offset).split("\n").length;
      throw new EngineError(
        "invalid_input",
        `the document must be JSON: line ${line}: ${error.message}`,
      );
    }
    return dataText(data, limits, { work, losses, lines });
  },
};

/** Reads JSON Lines: a line of named values for each record. Broken lines stay as they are, and are reported. */
export const jsonLinesReader: DocumentReader = {
  name: "jsonl",
  mediaTypes: ["application/x-ndjson", "application/jsonl", "application/x-jsonlines"],
  extensions: [".jsonl", ".ndjson"],
  read: async (bytes, limits) => {
    const losses = new DocumentLosses();
    return linesText(decodeText(bytes, { encoding: limits.encoding, losses }), limits, losses);
  },
};

const LINES_PER_PAUSE = 100;
/** Maximum number of marks of lines in a text; the rest has no lines. */
const MAX_LINE_MARKS = 50_000;

/** Returns data as the text of a document. `lines` are the lines of its values (`dataLines`). */
export async function dataText(
  data: DataNode,
  limits: ReadLimits,
  {
    work,
    losses,
    lines = [],
  }: {
    readonly work: ReadingWork;
    readonly losses: DocumentLosses;
    readonly lines?: readonly number[];
  },
): Promise<DocumentText> {
  const builder = new TextBuilder(limits);
  const isMarked = lines.some((line) => line > 1);
  let [count, marks, expected] = [0, 0, 0];
  for (const { text, line = expected } of dataLines(data, lines)) {
    if (!isMarked || line === expected || marks > MAX_LINE_MARKS) builder.add(text);
    else builder.add(text, marks++ === MAX_LINE_MARKS ? {} : { line });
    expected = line + text.split("\n").length - 1;
    work.spend(text.length + 10);
    if (++count % LINES_PER_PAUSE === 0) await work.pause();
  }
  return { ...builder.build(), ...losses.report() };
}

/** Broken lines before the first record, after which a text is not JSON Lines. */
const MAX_BROKEN = 1_000;

async function linesText(
  text: string,
  limits: ReadLimits,
  losses: DocumentLosses,
): Promise<DocumentText> {
  const work = new ReadingWork("JSON");
  const builder = new TextBuilder(limits);
  const counts = new DataLimits("JSON");
  let [records, broken] = [0, 0];
  for (const { line, number } of linesIn(text)) {
    let read = line;
    try {
      read = recordLine(jsonData(line, counts));
      records++;
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      losses.add("malformed", { place: { line: number }, example: line });
      if (records === 0 && ++broken > MAX_BROKEN) break;
    }
    builder.addRow(read, { line: number });
    work.spend(line.length + 10);
    await work.pause();
  }
  if (records === 0 && builder.length > 0)
    throw new EngineError(
      "invalid_input",
      "the document must be JSON Lines, one value a line, got no line of JSON",
    );
  return { ...builder.build(), ...losses.report() };
}

function* linesIn(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let number = 1;
  for (let at = 0; at < text.length; number++) {
    const found = text.indexOf("\n", at);
    const end = found === -1 ? text.length : found;
    const line = text.slice(at, end).trim();
    if (line !== "") yield { line, number };
    at = end + 1;
  }
}

/** True for a text whose first two lines are values. */
function isLines(text: string): boolean {
  const first: string[] = [];
  for (const { line } of linesIn(text)) if (first.push(line) === 2) break;
  if (first.length < 2) return false;
  try {
    for (const line of first) jsonData(line, new DataLimits("JSON"));
    return true;
  } catch (error) {
    if (error instanceof JsonFault) return false;
    throw error;
  }
}
