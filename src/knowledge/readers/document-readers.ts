import type { DocumentReader } from "../document-text.ts";
import { docxReader } from "./docx-reader.ts";
import { htmlReader } from "./html-reader.ts";
import { mailboxReader, mailReader } from "./mail-reader.ts";
import { odsReader } from "./ods-reader.ts";
import { pdfReader } from "./pdf-reader.ts";
import { xlsxReader } from "./xlsx-reader.ts";
import { xmlReader } from "./xml-reader.ts";

/** PDF, DOCX, XLSX, ODS, HTML, XML and mails. */
export const DOCUMENT_READERS: readonly DocumentReader[] = [
  pdfReader,
  docxReader,
  xlsxReader,
  odsReader,
  htmlReader,
  xmlReader,
  mailReader,
  mailboxReader,
];
