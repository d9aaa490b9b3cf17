import type { DocumentReader } from "../document-text.ts";
import { csvRows } from "./csv-rows.ts";
import { tableText } from "./table-text.ts";

/** Tables as text: a line of named cells for each row. Rows are counted as in a spreadsheet, including blank ones. */
export const csvReader: DocumentReader = {
  name: "csv",
  mediaTypes: ["text/csv", "text/tab-separated-values", "application/csv"],
  extensions: [".csv", ".tsv", ".tab"],
  read: (bytes, limits) => tableText(limits, (losses) => csvRows(bytes, { limits, losses })),
};
