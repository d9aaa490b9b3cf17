import type { DocumentReader } from "../document-text.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { odsRows } from "./ods-rows.ts";
import { tableText } from "./table-text.ts";

/** OpenDocument spreadsheets, as workbooks of Excel are read. */
export const odsReader: DocumentReader = {
  ...DOCUMENT_FORMATS.ods,
  read: (bytes, limits) => tableText(limits, (losses) => odsRows(bytes, { limits, losses })),
};
