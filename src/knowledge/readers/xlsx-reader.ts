import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { TableText } from "./table-text.ts";
import { xlsxRows } from "./xlsx-rows.ts";

/** Excel workbooks: every sheet, also hidden ones; a line of named cells for each non-empty row. */
export const xlsxReader: DocumentReader = {
  name: "xlsx",
  mediaTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  extensions: [".xlsx", ".xlsm"],
  read: async (bytes, limits) => {
    const builder = new TextBuilder(limits);
    const table = new TableText(builder);
    for await (const rows of xlsxRows(bytes, { limits })) table.add(rows);
    table.end();
    return builder.build();
  },
};
