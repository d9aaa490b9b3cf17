/** Readers of documents other than plain text. Their libraries are loaded for the first such document. */
export { DOCUMENT_READERS } from "../knowledge/readers/document-readers.ts";
export { docxReader } from "../knowledge/readers/docx-reader.ts";
export { htmlReader } from "../knowledge/readers/html-reader.ts";
export { mailboxReader, mailReader } from "../knowledge/readers/mail-reader.ts";
export { odsReader } from "../knowledge/readers/ods-reader.ts";
export { pdfReader } from "../knowledge/readers/pdf-reader.ts";
export { xlsxReader } from "../knowledge/readers/xlsx-reader.ts";
