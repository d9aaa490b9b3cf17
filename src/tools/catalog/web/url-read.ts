import * as z from "zod";
import { windowOfLines } from "../base/results.ts";
import type { DocumentReader } from "../../../knowledge/document-text.ts";
import { PAGE_OPTIONS } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";
import { readPage } from "./read-page.ts";

const MAX_CHARS = 32_000;

/** Lines of the page, document or text at an address. */
export const urlRead = pageTool({
  className: "URLReadTool",
  displayName: "Read content from a URL",
  group: "web",
  service: "web",
  effectClass: "R",
  description:
    "Reads what an address holds (web page, PDF, DOCX, XLSX, CSV, JSON, XML, plain text) as lines of text. For long ones, start_line and line_count choose the lines.",
  input: () =>
    z.object({
      url: z.string().min(1).max(4096).describe("Address of the page or file"),
      start_line: z.int().min(1).optional().describe("First line, from 1"),
      line_count: z.int().min(1).optional().describe("How many lines; all when left out"),
    }),
  options: () =>
    z.object({
      ...PAGE_OPTIONS,
      maxBytes: z
        .int()
        .min(1)
        .max(25 << 20)
        .default(5 << 20),
      /** Timeout in seconds. */
      timeout: z.number().positive().max(300).default(30),
      encoding: z.string().refine(isEncoding, "expected the name of an encoding").optional(),
      /** Readers of documents, in addition to the deployment's: those of `edgecrew/knowledge/readers`. */
      readers: z.array(z.record(z.string(), z.unknown())).readonly().optional(),
    }),
  codeOptions: ["readers"],
  // Leaves room for the note after the window.
  maxChars: MAX_CHARS + 200,
  run: async ({ url, start_line: startLine, line_count: lineCount }, settings, io) => {
    const { maxBytes, timeout, encoding, ...options } = settings;
    const readers = settings.readers as readonly unknown[] as readonly DocumentReader[] | undefined;
    const timeoutMs = timeout * 1000;
    const page = await readPage(io, url, { options, maxBytes, timeoutMs, encoding, readers });
    const text = windowOfLines(page.text, {
      ...(startLine === undefined ? undefined : { startLine }),
      ...(lineCount === undefined ? undefined : { lineCount }),
      maxChars: MAX_CHARS,
    });
    return pageResult(text, page);
  },
});

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}
