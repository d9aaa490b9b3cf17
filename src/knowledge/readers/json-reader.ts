import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { ReadingWork } from "./reading-work.ts";

const MAX_DEPTH = 200;
/** Parsed JSON takes ten times the size of its text, or more. */
const MAX_VALUES = 1_000_000;

/** Reads JSON as `key: value` and `- item` lines, indented by two spaces for each level. */
export const jsonReader: DocumentReader = {
  name: "json",
  mediaTypes: ["application/json"],
  extensions: [".json"],
  read: async (bytes, limits) => {
    const work = new ReadingWork("JSON");
    const builder = new TextBuilder(limits);
    const text = decodeText(bytes);
    await checkShape(text, work);
    let value: JsonValue;
    try {
      value = JSON.parse(text) as JsonValue;
    } catch (error) {
      throw new EngineError("invalid_input", `the document must be JSON: ${errorMessage(error)}`);
    }
    for (const line of linesOf("", value, "")) {
      builder.add(line);
      work.spend(line.length + 10);
      await work.pause();
    }
    return builder.build();
  },
};

function* linesOf(label: string, value: JsonValue, indent: string): Generator<string> {
  if (value === null || typeof value !== "object") {
    yield `${indent}${label}${value}\n`;
    return;
  }
  if (label !== "") yield `${indent}${label.trimEnd()}\n`;
  const inner = label === "" ? indent : `${indent}  `;
  if (Array.isArray(value))
    for (const item of value as readonly JsonValue[]) yield* linesOf("- ", item, inner);
  else
    for (const [key, item] of Object.entries(value as object))
      yield* linesOf(`${key}: `, item as JsonValue, inner);
}

/** Throws `limit_exceeded`, before parsing, for JSON with too many values or too deep nesting. */
async function checkShape(text: string, work: ReadingWork): Promise<void> {
  const signs = /["[\]{},]/g;
  let [depth, values, at] = [0, 0, 0];
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const { index, 0: sign } = match;
    if (sign === '"') signs.lastIndex = endOfString(text, index);
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth--;
    if (sign === "," || sign === "[" || sign === "{") values++;
    if (depth > MAX_DEPTH)
      throw new EngineError(
        "limit_exceeded",
        `the JSON is nested more than ${MAX_DEPTH} deep, which is too deep to read`,
      );
    if (values > MAX_VALUES)
      throw new EngineError(
        "limit_exceeded",
        `the JSON has more than ${MAX_VALUES} values, which is too many to read: split it up`,
      );
    work.spend(signs.lastIndex - at);
    at = signs.lastIndex;
    await work.pause();
  }
}

/** Returns the position after the closing quote of a string; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
