import { EngineError, errorMessage } from "../../base/error.ts";
import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { repacked } from "./unpack.ts";

/** Excel workbooks: every sheet, a line for each row, cells separated by commas. */
export const xlsxReader: DocumentReader = {
  name: "xlsx",
  mediaTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  extensions: [".xlsx"],
  read: async (bytes, limits) => {
    const packed = repacked(bytes, "XLSX", (name) => /\.(xml|rels)$/.test(name));
    const { default: readExcelFile } = await import("read-excel-file/universal");
    const builder = new TextBuilder(limits);
    let sheets: Awaited<ReturnType<typeof readExcelFile>>;
    try {
      sheets = await readExcelFile(packed);
    } catch (error) {
      throw new EngineError("invalid_input", `the document is no XLSX: ${errorMessage(error)}`);
    }
    for (const { sheet, data } of sheets)
      for (const [index, cells] of data.entries()) {
        const texts = cells.map((cell) => cellText(cell));
        if (texts.every((text) => text === "")) continue;
        builder.add(`${texts.join(",")}\n`, { sheet, row: index + 1 });
      }
    return builder.build();
  },
};

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (cell instanceof Date) return cell.toISOString().replace("T00:00:00.000Z", "");
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
