import type { DocumentReader } from "../document-text.ts";
import { odsRows } from "./ods-rows.ts";
import { tableText } from "./table-text.ts";

/** OpenDocument spreadsheets, as workbooks of Excel are read. */
export const odsReader: DocumentReader = {
  name: "ods",
  mediaTypes: ["application/vnd.oasis.opendocument.spreadsheet"],
  extensions: [".ods"],
  read: (bytes, limits) => tableText(limits, (losses) => odsRows(bytes, { limits, losses })),
};
