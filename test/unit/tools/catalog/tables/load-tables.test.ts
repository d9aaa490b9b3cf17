import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { loadTables } from "../../../../../src/tools/catalog/tables/load-tables.ts";
import { tableDatabase } from "../../../../../src/tools/catalog/tables/table-database.ts";
import { bookOf } from "../../../../support/documents.ts";
import { bytesOf, dyingDatabase, tablesWith } from "../../../../support/table-world.ts";

const columnsOf = async (file: string, content: string | Uint8Array) => {
  const tables = await tablesWith({ [file]: content });
  return tables.describe()[0];
};

const MANY = `id,amount\n${Array.from({ length: 5_000 }, (_, id) => `${id},${id / 4}`).join("\n")}\n`;

describe("loading a table", () => {
  it("names columns for SQL and keeps their names in the file", async () => {
    const table = await columnsOf(
      "Sales 2024.csv",
      "Order Date,Amount €,select,2023,Amount €,,Größe\n2024-01-31,5,a,1,6,x,7\n2024-02-01,6,b,2,7,y,8\n",
    );
    expect(table).toMatchObject({ table: "sales_2024", rows: 2, headerRow: 1 });
    expect(table?.columns.map(({ name, header, place }) => [name, header, place])).toEqual([
      ["order_date", "Order Date", "A"],
      ["amount", "Amount €", "B"],
      ["select_", "select", "C"],
      ["c_2023", "2023", "D"],
      ["amount_2", "Amount €", "E"],
      ["f", "F", "F"],
      ["größe", "Größe", "G"],
    ]);
  });

  it("finds a header below titles, and tables without one", async () => {
    const titled = await columnsOf("a.csv", "Report of sales\n\nregion,qty\nnorth,3\nsouth,4\n");
    expect(titled).toMatchObject({ headerRow: 3, firstRow: 4, lastRow: 5, rows: 2 });
    const bare = await columnsOf("b.csv", "1,2\n3,4\n5,6\n");
    expect(bare).toMatchObject({ headerRow: 0, rows: 3 });
    expect(bare?.columns.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(bare?.notes).toContain("No header was found: columns have the letters of the sheet.");
  });

  it("TBC1: keeps values of another type as texts beside their column", async () => {
    const values = Array.from({ length: 20 }, (_, at) => String(at + 1));
    const tables = await tablesWith({
      "t.csv": `n,x\n${[...values, "see note"].map((v) => `${v},y`).join("\n")}\n`,
    });
    expect(tables.query("SELECT max(n), count(n), count(*) FROM t").rows).toEqual([[20, 20, 21]]);
    expect(tables.query("SELECT n_text FROM t WHERE n_text IS NOT NULL").rows).toEqual([
      ["see note"],
    ]);
    expect(tables.describe()[0]?.notes).toContain(
      "1 values of n are no number: they are NULL there, and texts in n_text.",
    );
  });

  it("TBC2: keeps identifiers as they are shown", async () => {
    const table = await tablesWith({ "z.csv": "zip,n\n02134,1\n10001,2\n" });
    expect(table.query("SELECT zip FROM z WHERE zip = '02134'").rows).toEqual([["02134"]]);
  });

  it("TBC3: counts a number of a merged cell once, and repeats its text", async () => {
    const book = bookOf(
      `<row r="1"><c r="A1" t="inlineStr"><is><t>region</t></is></c><c r="B1" t="inlineStr"><is><t>budget</t></is></c><c r="C1" t="inlineStr"><is><t>qty</t></is></c></row>
       <row r="2"><c r="A2" t="inlineStr"><is><t>north</t></is></c><c r="B2"><v>100</v></c><c r="C2"><v>1</v></c></row>
       <row r="3"><c r="C3"><v>2</v></c></row>
       <row r="4"><c r="A4" t="inlineStr"><is><t>south</t></is></c><c r="B4"><v>50</v></c><c r="C4"><v>4</v></c></row>
       </sheetData><mergeCells count="2"><mergeCell ref="A2:A3"/><mergeCell ref="B2:B3"/></mergeCells><sheetData>`,
    );
    const tables = await tablesWith({ "m.xlsx": book });
    expect(
      tables.query("SELECT region, sum(budget), sum(qty) FROM m GROUP BY region ORDER BY 1").rows,
    ).toEqual([
      ["north", 100, 3],
      ["south", 50, 4],
    ]);
  });

  it("gives one form to the times of a column", async () => {
    const tables = await tablesWith({ "d.csv": "at,n\n2024-01-31,1\n2024-01-31 18:00,2\n" });
    expect(tables.query("SELECT at FROM d ORDER BY at").rows).toEqual([
      ["2024-01-31 00:00:00"],
      ["2024-01-31 18:00:00"],
    ]);
  });

  it("keeps dates with an unclear order of day and month as texts", async () => {
    const table = await columnsOf("d.csv", "at,n\n1/2/2024,1\n3/4/2024,2\n");
    expect(table?.columns[0]).toMatchObject({
      type: "text",
      notation: "dates with an unclear order of day and month",
    });
  });

  it("reads JSON Lines with fields of later records, and names lines", async () => {
    const tables = await tablesWith({
      "e.jsonl":
        '{"a":1,"b":{"c":"x"}}\n\n{"a":2,"late":true}\n{"a":null,"b":{"c":"y"},"list":[1,2]}\n',
    });
    expect(tables.query("SELECT a, b_c, late, list FROM e ORDER BY _row").rows).toEqual([
      [1, "x", null, null],
      [2, null, 1, null],
      [null, "y", null, "[1,2]"],
    ]);
    expect(tables.query("SELECT a FROM e WHERE a = 2").citations).toEqual([
      [{ file: "e.jsonl", cells: "line 3, a" }],
    ]);
  });

  it("adds columns that the first rows do not have", async () => {
    const lines = Array.from(
      { length: 2_500 },
      (_, at) => `{"a":${at}${at === 2_400 ? ',"z":7' : ""}}`,
    );
    const tables = await tablesWith({ "e.jsonl": lines.join("\n") });
    expect(tables.query("SELECT sum(z), count(*) FROM e").rows).toEqual([[7, 2_500]]);
  });

  it("divides whole numbers with their decimals", async () => {
    const tables = await tablesWith({ "t.csv": "a,b\n7,2\n1,4\n" });
    expect(tables.query("SELECT a / b FROM t").rows).toEqual([[3.5], [0.25]]);
  });

  it("lists rows that look like totals", async () => {
    const table = await columnsOf("t.csv", "region,qty\nnorth,3\nsouth,4\nTotal,7\n");
    expect(table?.notes[0]).toMatch(/^Rows that look like totals of others: 4\./);
  });

  it("TBL1: continues behind the last stored row after it was cut off at any batch", async () => {
    const file = { name: "many.csv", bytes: bytesOf(MANY) };
    for (let transactions = 0; transactions < 10; transactions += 3) {
      const sqlite = new DatabaseSync(":memory:");
      await expect(loadTables(dyingDatabase(sqlite, transactions), file)).rejects.toThrow("died");
      const [table] = await loadTables(tableDatabase(sqlite), file);
      expect(table).toMatchObject({ rows: 5_000, firstRow: 2, lastRow: 5_001, isComplete: true });
      const [sums] = sqlite
        .prepare("SELECT count(*) AS n, sum(c1) AS s FROM edgecrew_rows_1")
        .all();
      expect(sums).toMatchObject({ n: 5_000, s: 12_497_500 });
    }
  });

  it("TBL2, TBL3: loads equal content once, also at the same time", async () => {
    const sqlite = new DatabaseSync(":memory:");
    const database = tableDatabase(sqlite);
    const [a, b] = await Promise.all([
      loadTables(database, { name: "a.csv", bytes: bytesOf(MANY) }),
      loadTables(database, { name: "b.csv", bytes: bytesOf(MANY) }),
    ]);
    expect(a?.[0]?.id).toBe(b?.[0]?.id);
    expect(sqlite.prepare("SELECT count(*) AS n FROM edgecrew_tables").get()).toEqual({ n: 1 });
  });

  it("TBL4: refuses tables above the limit, and answers from no part of them", async () => {
    const database = tableDatabase(new DatabaseSync(":memory:"));
    const file = { name: "many.csv", bytes: bytesOf(MANY) };
    await expect(loadTables(database, file, { maxRows: 4_000 })).rejects.toMatchObject({
      failureCode: "too_large",
      message: "many.csv has more than 4000 rows in a table.",
    });
    expect(await loadTables(database, file)).toMatchObject([{ rows: 5_000 }]);
  });

  it.each([
    ["a.jsonl", '{"a":1}\nno json\n', "line 2 must be JSON"],
    ["a.json", '{"a":1}', "must be a list of objects"],
    ["a.xlsx", "PK\u0003\u0004 broken", "XLSX"],
    ["a.csv", "", "has no rows"],
    ["a.parquet", "PAR1 broken", "cannot be read"],
  ])("names the file %s that it cannot read", async (name, content, message) => {
    await expect(tablesWith({ [name]: content })).rejects.toThrow(message);
    await expect(tablesWith({ [name]: content })).rejects.toThrow(name);
  });
});
