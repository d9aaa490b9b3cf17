/** Readers of documents that are no text. Their libraries are loaded when the first such document comes. */
export { DOCUMENT_READERS } from "./knowledge/readers/document-readers.ts";
export { docxReader } from "./knowledge/readers/docx-reader.ts";
export { htmlReader } from "./knowledge/readers/html-reader.ts";
export { pdfReader } from "./knowledge/readers/pdf-reader.ts";
export { xlsxReader } from "./knowledge/readers/xlsx-reader.ts";
