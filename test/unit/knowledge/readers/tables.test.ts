// Tables as text: CSV, XLSX, ODS.
import { describe, expect, it } from "vitest";
import { csvReader } from "../../../../src/knowledge/readers/csv-reader.ts";
import { odsReader } from "../../../../src/knowledge/readers/ods-reader.ts";
import { xlsxReader } from "../../../../src/knowledge/readers/xlsx-reader.ts";
import { bookOf, zipOf } from "../../../support/documents.ts";

const limits = { maxCharacters: 10_000 };
const csv = (text: string, maxCharacters = 10_000) =>
  csvReader.read(new TextEncoder().encode(text), { maxCharacters });
const cell = (place: string, text: string) =>
  `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;

describe("TT1: a row of CSV is named cells", () => {
  it.each([
    ["with semicolons and decimal commas", "sku;price\r\n007;4,50\r\n", "sku: 007 | price: 4,50"],
    ["with tabs", "sku\tprice\n1\t2\n", "sku: 1 | price: 2"],
    ["with bars", "sku|price\n1|2\n", "sku: 1 | price: 2"],
    ["behind a line with the separator", "sep=;\nsku;price\n1;2\n", "sku: 1 | price: 2"],
    ["behind comments", "# by us, today\n# v2\nsku,price\n1,2\n3,4\n", "sku: 3 | price: 4"],
    ["with quotes and line breaks", 'a,b\n"x ""y""","l1\nl2"\n', 'a: x "y" | b: l1 l2'],
    ["with fewer cells, and with more", "a,b\n1\n2,3,4\n", "a: 1\na: 2 | b: 3 | 4"],
    ["of one column with commas", "review\nGood\nBad, sadly\n", "review: Good\nreview: Bad, sadly"],
    ["with an empty last cell, without a line break", "a,b,c\n1,2,", "a: 1 | b: 2"],
    ["without a header", "1,2\n3,4\n", "1 | 2\n3 | 4"],
  ])("%s", async (_, text, rows) => {
    const read = await csv(text);
    expect(read.text).toContain(`${rows}\n`);
    expect(read.losses).toBeUndefined();
  });

  it("TT2: without its names if the text is too long with them", async () => {
    const text = `${"name".repeat(25)},b\n${"1,2\n".repeat(20)}`;
    expect((await csv(text)).text).toContain("name: 1 | b: 2");
    expect((await csv(text, 300)).text).toMatch(/^(name)+ \| b\n(1 \| 2\n){20}$/);
    await expect(csv(text, 200)).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("reports a quote that is never closed, and reads the rows behind it", async () => {
    const { text, losses } = await csv('a,b\n1,"x\n2,y\n3,z\n');
    expect(text).toContain("a: 2 | b: y\na: 3 | b: z\n");
    expect(losses).toMatchObject([{ kind: "malformed", count: 1, place: { row: 2 } }]);
  });
});

describe("XLSX", () => {
  it("TT1: has the values of merged cells in each row, and the groups of its header", async () => {
    const book = bookOf(
      `<row r="1">${cell("A1", "Report")}</row>
       <row r="2">${cell("B2", "2024")}<c r="C2"/><c r="D2"/></row>
       <row r="3">${cell("A3", "Region")}${cell("B3", "Q1")}${cell("C3", "Q2")}${cell("D3", "Note")}</row>
       <row r="4">${cell("A4", "North")}<c r="B4"><v>1</v></c><c r="C4"><v>2</v></c></row>
       <row r="5"><c r="A5"/><c r="B5"><v>3</v></c><c r="C5"><v>4</v></c></row>
       </sheetData><mergeCells><mergeCell ref="A4:A5"/><mergeCell ref="B2:C2"/></mergeCells><sheetData>`,
    );
    expect((await xlsxReader.read(book, limits)).text).toBe(
      "Report\n2024\nRegion | Q1 | Q2 | Note\nRegion: North | 2024 Q1: 1 | 2024 Q2: 2\nRegion: North | 2024 Q1: 3 | 2024 Q2: 4\n",
    );
  });

  it("has comments, escapes, dates as texts and several lines in a cell", async () => {
    const book = bookOf(
      `<row r="1">${cell("A1", "a_x000D_b")}<c r="B1" t="d"><v>2024-01-15T18:00:00</v></c><c r="C1" t="str"><v>l1\nl2</v></c></row>`,
      {
        "xl/worksheets/_rels/sheet1.xml.rels":
          '<Relationships><Relationship Id="c" Type="x/comments" Target="../comments1.xml"/></Relationships>',
        "xl/comments1.xml":
          '<comments><commentList><comment ref="C1"><text><r><t>check</t></r></text></comment><comment ref="D1"><text><t>alone</t></text></comment></commentList></comments>',
      },
    );
    expect((await xlsxReader.read(book, limits)).text).toBe(
      "a b | 2024-01-15 18:00 | l1 l2 (check)\n",
    );
  });

  it("reports formulas without a value, hidden values and pictures", async () => {
    const book = bookOf(
      '<row r="2"><c r="B2"><f>A1</f></c><c r="C2" s="1"><v>5</v></c></row><row r="3"><c r="A3"><f>A1</f></c></row>',
      {
        "xl/styles.xml":
          '<styleSheet><numFmts><numFmt numFmtId="170" formatCode=";;;"/></numFmts><cellXfs><xf/><xf numFmtId="170"/></cellXfs></styleSheet>',
        "xl/worksheets/_rels/sheet1.xml.rels":
          '<Relationships><Relationship Id="c" Type="x/drawing" Target="../drawing1.xml"/></Relationships>',
      },
    );
    expect((await xlsxReader.read(book, limits)).losses).toMatchObject([
      { kind: "hidden", count: 1 },
      { kind: "drawing", count: 1 },
      {
        kind: "formula",
        count: 2,
        place: { sheet: "S", row: 2 },
        detail: "2 formulas without stored values, first in row 2 in sheet S: B2, …",
      },
    ]);
  });

  it("reports pictures, charts and macros", async () => {
    const relations = (...types: readonly string[]) =>
      `<Relationships>${types.map((type, index) => `<Relationship Id="c${index}" Type="x/${type}" Target="${type}${index}.xml"/>`).join("")}</Relationships>`;
    const book = bookOf('<row><c r="A1"><v>1</v></c></row>', {
      "xl/worksheets/_rels/sheet1.xml.rels": relations("drawing"),
      "xl/worksheets/_rels/drawing0.xml.rels": relations("image", "image", "chart"),
      "xl/_rels/workbook.xml.rels": `${relations("vbaProject").replace("</Relationships>", "")}<Relationship Id="s1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    });
    expect((await xlsxReader.read(book, limits)).losses).toMatchObject([
      { kind: "picture", count: 2, place: { sheet: "S" } },
      { kind: "chart", count: 1 },
      { kind: "macro", count: 1 },
    ]);
  });

  it("counts days from 1904 in spite of an extension of the same name", async () => {
    const book = bookOf('<row r="1"><c r="A1" s="0"><v>43844</v></c></row>', {
      "xl/workbook.xml":
        '<workbook><workbookPr date1904="1"/><x15:workbookPr chartTrackingRefBase="1"/><sheets><sheet name="S" r:id="s1"/></sheets></workbook>',
      "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
    });
    expect((await xlsxReader.read(book, limits)).text).toBe("2024-01-15\n");
  });

  it("is also a page or a text with tabs called .xls, and no workbook from before", async () => {
    const read = (text: string) => xlsxReader.read(new TextEncoder().encode(text), limits);
    expect((await read("<table><tr><td>1<td>2</table>")).text).toBe("1 | 2");
    expect((await read("a\tb\n1\t2\n")).text).toBe("a | b\na: 1 | b: 2\n");
    await expect(
      xlsxReader.read(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), limits),
    ).rejects.toThrow(/save it as XLSX.*LibreOffice/);
    const binary = zipOf({
      "_rels/.rels":
        '<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>',
      "xl/workbook.bin": "",
    });
    await expect(xlsxReader.read(binary, limits)).rejects.toThrow(
      /binary workbook.*save it as XLSX/,
    );
  });
});

describe("ODS", () => {
  it("is read as it is shown, with repeated and merged cells", async () => {
    const book = zipOf({
      "content.xml": `<office:document-content><table:table table:name="Tea"><table:table-row><table:table-cell><text:p>sort</text:p></table:table-cell><table:table-cell><text:p>price</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="5"/></table:table-row>
        <table:table-row><table:table-cell table:number-rows-spanned="2"><office:annotation><text:p>hm</text:p></office:annotation><text:p>green<text:s/>tea</text:p></table:table-cell><table:table-cell office:value-type="currency" office:value="3"><text:p>3,00 €</text:p></table:table-cell></table:table-row>
        <table:table-row><table:covered-table-cell/><table:table-cell office:value-type="time" office:time-value="PT36H"><text:p>36:00</text:p></table:table-cell></table:table-row></table:table></office:document-content>`,
    });
    const { text, marks, losses } = await odsReader.read(book, limits);
    expect(text).toBe(
      "sort | price\n\n\n\nsort: green tea | price: 3,00 €\nsort: green tea | price: 36:00\n",
    );
    expect(marks).toEqual([{ offset: 0, sheet: "Tea", row: 1 }]);
    expect(losses).toMatchObject([{ kind: "comment", count: 1, place: { sheet: "Tea", row: 5 } }]);
  });
});
