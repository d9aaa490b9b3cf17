import type { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { DOCUMENT_FORMATS } from "./document-formats.ts";
import { csvRows } from "./csv-rows.ts";
import { tableText } from "./table-text.ts";
import { xlsxRows, type SheetGaps } from "./xlsx-rows.ts";

/** Excel workbooks: every sheet, also hidden ones; a line of named cells for each non-empty row. */
export const xlsxReader: DocumentReader = {
  ...DOCUMENT_FORMATS.xlsx,
  read: async (bytes, limits) => {
    const start = new TextDecoder("latin1").decode(bytes.subarray(0, START_BYTES));
    // Many programs write a page or a text with tabs into a file called `.xls`.
    if (PAGE.test(start)) {
      const { htmlReader } = await import("./html-reader.ts");
      return htmlReader.read(bytes, limits);
    }
    if (TABBED.test(start))
      return tableText(limits, (losses) => csvRows(bytes, { limits, losses }));
    return tableText(limits, (losses) =>
      xlsxRows(bytes, {
        limits,
        onGaps: (gaps) => report(gaps, losses),
        onMacros: () => losses.add("macro"),
      }),
    );
  },
};

const START_BYTES = 1024;
const PAGE = /^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype html|html|head|meta|table)\b/i;
const TABBED =
  /^(?:\u00ef\u00bb\u00bf)?[^\0-\u0008\n\r]*[^\0-\u0008\n\r\t]\t[^\0-\u0008\n\r]*\r?\n/;

function report(gaps: SheetGaps, losses: DocumentLosses): void {
  const { sheet, formulas, firstFormula, unshown, pictures, charts, drawings } = gaps;
  const row = Number(/\d+$/.exec(firstFormula)?.[0]);
  const place = { sheet };
  losses.add("picture", { place, count: pictures });
  losses.add("chart", { place, count: charts });
  losses.add("drawing", { place, count: drawings });
  losses.add("formula", { place: { sheet, row }, count: formulas, example: firstFormula });
  losses.add("hidden", { place, count: unshown, example: "cells whose format shows nothing" });
}
