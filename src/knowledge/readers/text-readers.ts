// Documents that are text: plain, Markdown, JSON, CSV.
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { DocumentReader } from "../document-text.ts";
import { checkLength, TextBuilder } from "../text-builder.ts";

/** UTF-8 with or without a byte order mark, or UTF-16 with one. Throws `invalid_input` for other bytes. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 = first === 0xff && second === 0xfe ? "utf-16le" : undefined;
  const encoding = first === 0xfe && second === 0xff ? "utf-16be" : (utf16 ?? "utf-8");
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new EngineError("invalid_input", "the document must be text in UTF-8, got other bytes");
  }
}

export const plainTextReader: DocumentReader = {
  name: "text",
  mediaTypes: ["text/plain"],
  extensions: [".txt", ".text", ".log"],
  read: async (bytes, limits) => {
    const text = decodeText(bytes);
    checkLength(text.length, limits);
    return { text, marks: [] };
  },
};

export const markdownReader: DocumentReader = {
  name: "markdown",
  mediaTypes: ["text/markdown", "text/x-markdown"],
  extensions: [".md", ".mdx", ".markdown"],
  read: async (bytes, limits) => {
    const text = decodeText(bytes);
    checkLength(text.length, limits);
    return { text, marks: [], format: "markdown" };
  },
};

/** `key: value` and `- item` lines, indented by two spaces for each level. */
export const jsonReader: DocumentReader = {
  name: "json",
  mediaTypes: ["application/json"],
  extensions: [".json"],
  read: async (bytes, limits) => {
    const builder = new TextBuilder(limits);
    let value: JsonValue;
    try {
      value = JSON.parse(decodeText(bytes)) as JsonValue;
    } catch (error) {
      throw new EngineError("invalid_input", `the document must be JSON: ${errorMessage(error)}`);
    }
    // Deep documents would use up the stack of a function that calls itself.
    const left: Array<readonly [label: string, value: JsonValue, indent: string]> = [
      ["", value, ""],
    ];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [label, each, indent] = next;
      const inner = label === "" ? indent : `${indent}  `;
      if (each === null || typeof each !== "object") {
        builder.add(`${indent}${label}${String(each)}\n`);
        continue;
      }
      if (label !== "") builder.add(`${indent}${label.trimEnd()}\n`);
      const items = Array.isArray(each)
        ? (each as readonly JsonValue[]).map((item) => ["- ", item, inner] as const)
        : Object.entries(each as object).map(
            ([key, item]) => [`${key}: `, item as JsonValue, inner] as const,
          );
      left.push(...items.toReversed());
    }
    return builder.build();
  },
};

/** Cells joined by spaces, a line for each row. */
export const csvReader: DocumentReader = {
  name: "csv",
  mediaTypes: ["text/csv", "text/tab-separated-values"],
  extensions: [".csv", ".tsv"],
  read: async (bytes, limits) => {
    const { default: papaparse } = await import("papaparse");
    const builder = new TextBuilder(limits);
    let row = 0;
    papaparse.parse<readonly string[]>(decodeText(bytes), {
      skipEmptyLines: "greedy",
      step: ({ data }) => builder.add(`${data.join(" ")}\n`, { row: ++row }),
    });
    return builder.build();
  },
};
