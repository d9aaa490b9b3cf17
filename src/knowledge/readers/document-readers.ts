import type { DocumentReader } from "../document-text.ts";
import { docxReader } from "./docx-reader.ts";
import { htmlReader } from "./html-reader.ts";
import { pdfReader } from "./pdf-reader.ts";
import { xlsxReader } from "./xlsx-reader.ts";
import { xmlReader } from "./xml-reader.ts";

/** PDF, DOCX, XLSX, HTML and XML. */
export const DOCUMENT_READERS: readonly DocumentReader[] = [
  pdfReader,
  docxReader,
  xlsxReader,
  htmlReader,
  xmlReader,
];
