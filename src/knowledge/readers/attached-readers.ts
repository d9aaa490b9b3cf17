import type { DocumentReader } from "../document-text.ts";
import { docxReader } from "./docx-reader.ts";
import { htmlReader } from "./html-reader.ts";
import { odsReader } from "./ods-reader.ts";
import { pdfReader } from "./pdf-reader.ts";
import { xlsxReader } from "./xlsx-reader.ts";
import { xmlReader } from "./xml-reader.ts";

/** Readers of files on their own and in mails. */
export const ATTACHED_READERS: readonly DocumentReader[] = [
  pdfReader,
  docxReader,
  xlsxReader,
  odsReader,
  htmlReader,
  xmlReader,
];
