import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { csvRows } from "./csv-rows.ts";
import { TableText } from "./table-text.ts";

/** Tables as text: a line of named cells for each row. Rows are counted as in a spreadsheet, including blank ones. */
export const csvReader: DocumentReader = {
  name: "csv",
  mediaTypes: ["text/csv", "text/tab-separated-values"],
  extensions: [".csv", ".tsv"],
  read: async (bytes, limits) => {
    const builder = new TextBuilder(limits);
    const table = new TableText(builder);
    for await (const rows of csvRows(bytes, { limits })) table.add(rows);
    table.end();
    return builder.build();
  },
};
