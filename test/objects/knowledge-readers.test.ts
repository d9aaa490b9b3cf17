// The libraries that read documents work in workerd.
import { expect, it } from "vitest";
import type { DocumentReader } from "../../src/knowledge/document-text.ts";
import { docxReader } from "../../src/knowledge/readers/docx-reader.ts";
import { htmlReader } from "../../src/knowledge/readers/html-reader.ts";
import { pdfReader } from "../../src/knowledge/readers/pdf-reader.ts";
import { csvReader } from "../../src/knowledge/readers/csv-reader.ts";
import { xlsxReader } from "../../src/knowledge/readers/xlsx-reader.ts";
import { docxOf, pdfOf, xlsxOf } from "../support/documents.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

it.each<[DocumentReader, Uint8Array, string]>([
  [pdfReader, pdfOf("One page", "Another"), "One page\nAnother\n"],
  [docxReader, docxOf("# Terms", "Pay."), "# Terms\n\nPay."],
  [xlsxReader, xlsxOf({ Tea: [["green", 3]] }), "green | 3\n"],
  [htmlReader, bytes("<h1>A</h1><p>b</p>"), "# A\n\nb"],
  [csvReader, bytes("a,b\n"), "a | b\n"],
])("$name", async (reader, content, text) => {
  expect((await reader.read(content, { maxCharacters: 1000 })).text).toBe(text);
});
