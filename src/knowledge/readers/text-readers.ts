// Readers of plain text and Markdown.
import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { checkLength } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";

export const plainTextReader: DocumentReader = {
  name: "text",
  mediaTypes: ["text/plain"],
  extensions: [".txt", ".text", ".log"],
  read: async (bytes, limits) => {
    const losses = new DocumentLosses();
    const text = decodeText(bytes, { encoding: limits.encoding, losses });
    checkLength(text.length, limits);
    return { text, marks: [{ offset: 0, line: 1 }], ...losses.report() };
  },
};

export const markdownReader: DocumentReader = {
  name: "markdown",
  mediaTypes: ["text/markdown", "text/x-markdown"],
  extensions: [".md", ".mdx", ".markdown"],
  read: async (bytes, limits) => ({
    ...(await plainTextReader.read(bytes, limits)),
    format: "markdown",
  }),
};
