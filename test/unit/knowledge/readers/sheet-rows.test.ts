// Rows of XLSX and CSV as typed cells.
import { describe, expect, it } from "vitest";
import { csvRows } from "../../../../src/knowledge/readers/csv-rows.ts";
import { cellName, columnOf, type SheetRow } from "../../../../src/knowledge/readers/sheet-rows.ts";
import { headerOf } from "../../../../src/knowledge/readers/table-header.ts";
import { xlsxRows, type SheetGaps } from "../../../../src/knowledge/readers/xlsx-rows.ts";
import { bookOf } from "../../../support/documents.ts";

const limits = { maxCharacters: 100_000 };

async function all(rows: AsyncIterable<readonly SheetRow[]>): Promise<SheetRow[]> {
  const found: SheetRow[] = [];
  for await (const batch of rows) found.push(...batch);
  return found;
}

const csv = (text: string) => all(csvRows(new TextEncoder().encode(text), { limits }));

const STYLES = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[h]:mm"/><numFmt numFmtId="171" formatCode="00000"/><numFmt numFmtId="172" formatCode=";;;"/></numFmts>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="14"/><xf numFmtId="20"/><xf numFmtId="172"/></cellXfs></styleSheet>`;

describe("rows of a workbook", () => {
  it("have typed values beside the shown texts", async () => {
    const book = bookOf(
      `<row r="3"><c r="B3" s="1"><v>1.5</v></c><c r="C3" s="2"><v>1234</v></c><c r="D3" s="3"><v>45306.75</v></c>
        <c r="E3" s="4"><v>0.75</v></c><c r="F3" t="b"><v>1</v></c><c r="G3" t="e"><v>#N/A</v></c><c r="H3" t="inlineStr"><is><t>01</t></is></c></row>`,
      { "xl/styles.xml": STYLES },
    );
    const [row] = await all(xlsxRows(book, { limits }));
    expect(row).toMatchObject({ sheet: "S", row: 3 });
    expect(row?.cells.map(({ kind, value, shown }) => [kind, value, shown])).toEqual([
      ["duration", 129_600, "36:00"],
      ["number", 1234, "01234"],
      ["date", "2024-01-15T18:00:00", "2024-01-15 18:00"],
      ["time", "18:00:00", "18:00"],
      ["boolean", true, "true"],
      ["error", null, "#N/A"],
      ["text", "01", "01"],
    ]);
    expect(row?.cells.map(({ column }) => cellName(column, row.row))).toEqual([
      "B3",
      "C3",
      "D3",
      "E3",
      "F3",
      "G3",
      "H3",
    ]);
  });

  it("repeat the value of a merged cell in each row and column that it covers", async () => {
    const book = bookOf(
      `<row r="1"><c r="A1"><v>7</v></c><c r="B1"/><c r="C1"><v>1</v></c></row><row r="2"><c r="A2"/><c r="C2"><v>2</v></c></row>
       <row r="3"><c r="C3"><v>3</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A1:B2"/></mergeCells><sheetData>`,
    );
    const rows = await all(xlsxRows(book, { limits }));
    expect(
      rows.map(({ cells }) => cells.map(({ column, shown, merged }) => [column, shown, merged])),
    ).toEqual([
      [
        [1, "7", undefined],
        [2, "7", "A1"],
        [3, "1", undefined],
      ],
      [
        [1, "7", "A1"],
        [2, "7", "A1"],
        [3, "2", undefined],
      ],
      [[3, "3", undefined]],
    ]);
  });

  it("count what they do not have", async () => {
    const book = bookOf(
      `<row r="1" hidden="1"><c r="A1"><f>B1</f></c><c r="B1"><f>C1</f><v></v></c><c r="C1" s="5"><v>9</v></c></row>`,
      { "xl/styles.xml": STYLES },
    );
    const gaps: SheetGaps[] = [];
    expect(await all(xlsxRows(book, { limits, onGaps: (each) => gaps.push(each) }))).toEqual([]);
    expect(gaps).toMatchObject([
      { sheet: "S", hiddenRows: 1, formulas: 2, firstFormula: "A1", unshown: 1 },
    ]);
  });
});

describe("rows of a table as text", () => {
  it("have their cells exactly as they are written, by column", async () => {
    const rows = await csv('sku;price;note\r\n007;4,50;" a\nb"\r\n\r\n008;;x\r\n');
    expect(
      rows.map(({ row, cells }) => [row, cells.map((cell) => [cell.column, cell.value])]),
    ).toEqual([
      [
        1,
        [
          [1, "sku"],
          [2, "price"],
          [3, "note"],
        ],
      ],
      [
        2,
        [
          [1, "007"],
          [2, "4,50"],
          [3, " a\nb"],
        ],
      ],
      [
        4,
        [
          [1, "008"],
          [3, "x"],
        ],
      ],
    ]);
  });
});

describe("TH1, TH2: the header of a table", () => {
  it.each([
    ["is its first row", "sku,price\n1,2\n3,4\n", 1],
    ["is below its titles", "Report 2025\n\nsku,price,stock\n1,2,3\n4,5,6\n", 3],
    ["is absent if the first row has values", "1,2\n3,4\n", undefined],
    ["is absent if its texts are values of other rows", "red,tea\nblue,tea\nred,milk\n", undefined],
    ["is absent if a text comes twice", "a,a\nb,c\nd,e\n", undefined],
    ["is absent without rows below it", "a,b\n", undefined],
  ])("%s", async (_, text, row) => {
    expect(headerOf(await csv(text))?.row).toBe(row);
  });
});

it("names cells as spreadsheets do", () => {
  for (const [column, name] of [
    [1, "A9"],
    [26, "Z9"],
    [27, "AA9"],
    [16_384, "XFD9"],
  ] as const) {
    expect(cellName(column, 9)).toBe(name);
    expect(columnOf(name)).toBe(column);
  }
});
