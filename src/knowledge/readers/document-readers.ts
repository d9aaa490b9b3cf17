import type { DocumentReader } from "../document-text.ts";
import { ATTACHED_READERS } from "./attached-readers.ts";
import { mailboxReader, mailReader } from "./mail-reader.ts";

/** PDF, DOCX, XLSX, ODS, HTML, XML and mails. */
export const DOCUMENT_READERS: readonly DocumentReader[] = [
  ...ATTACHED_READERS,
  mailReader,
  mailboxReader,
];
