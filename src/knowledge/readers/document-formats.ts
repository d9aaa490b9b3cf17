// Formats of `DOCUMENT_READERS`, without their code: a collection without these readers recognises them, and refuses
// them.
import type { DocumentReader } from "../document-text.ts";

export type DocumentFormat = Pick<DocumentReader, "name" | "mediaTypes" | "extensions">;

export const DOCUMENT_FORMATS = {
  pdf: { name: "pdf", mediaTypes: ["application/pdf"], extensions: [".pdf"] },
  docx: {
    name: "docx",
    mediaTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    extensions: [".docx", ".docm"],
  },
  xlsx: {
    name: "xlsx",
    mediaTypes: [
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
      "application/vnd.ms-excel.sheet.macroenabled.12",
      "application/vnd.ms-excel.sheet.binary.macroenabled.12",
      "application/vnd.ms-excel",
    ],
    extensions: [".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".xls"],
  },
  ods: {
    name: "ods",
    mediaTypes: ["application/vnd.oasis.opendocument.spreadsheet"],
    extensions: [".ods"],
  },
  html: {
    name: "html",
    mediaTypes: ["text/html", "application/xhtml+xml"],
    extensions: [".html", ".htm", ".xhtml"],
  },
  xml: { name: "xml", mediaTypes: ["application/xml", "text/xml"], extensions: [".xml"] },
  mail: { name: "mail", mediaTypes: ["message/rfc822"], extensions: [".eml"] },
  mailbox: { name: "mailbox", mediaTypes: ["application/mbox"], extensions: [".mbox"] },
} as const satisfies Readonly<Record<string, DocumentFormat>>;

/** Formats whose files are no text. */
export const BINARY_FORMATS: readonly string[] = ["pdf", "docx", "xlsx", "ods"];

/** Formats of texts with codes that only a program reads, without a reader. */
export const UNREAD_FORMATS: readonly (DocumentFormat & { readonly advice: string })[] = [
  {
    name: "rtf",
    mediaTypes: ["text/rtf", "application/rtf", "text/richtext"],
    extensions: [".rtf"],
    advice:
      "save it as DOCX, for example with `soffice --headless --convert-to docx`, or as a plain text",
  },
];
