import { describe, expect, it } from "vitest";
import { tablesWith } from "../../../../support/table-world.ts";

const SALES = `region,day,amount,qty
north,2024-01-31,10,3
south,2024-02-01,5,4
north,2024-02-03,2.5,1
west,2024-03-01,,8
`;
const REGIONS = "region,boss\nnorth,Ann\nsouth,Bob\n";

const cells = async (sql: string) => {
  const tables = await tablesWith({ "sales.csv": SALES, "regions.csv": REGIONS });
  const { citations } = tables.query(sql);
  return citations.map((row) =>
    row.map(
      (each) => each && [each.file, each.cells, ...(each.rows === undefined ? [] : [each.rows])],
    ),
  );
};

describe("citations", () => {
  it("TBQ2: name the cells of each row", async () => {
    expect(await cells("SELECT amount FROM sales WHERE region = 'north' ORDER BY amount")).toEqual([
      [["sales.csv", "A4, C4"]],
      [["sales.csv", "A2, C2"]],
    ]);
    expect(await cells("SELECT * FROM sales LIMIT 1")).toEqual([[["sales.csv", "A2:D2"]]]);
  });

  it("name the rows of a group, and their number", async () => {
    expect(await cells("SELECT region, sum(amount) FROM sales GROUP BY region ORDER BY 1")).toEqual(
      [[["sales.csv", "A2:A4, C2:C4", 2]], [["sales.csv", "A3, C3"]], [["sales.csv", "A5, C5"]]],
    );
    expect(await cells("SELECT count(*) FROM sales WHERE qty > 2")).toEqual([
      [["sales.csv", "D2:D5", 3]],
    ]);
  });

  it("name the row of a single minimum or maximum", async () => {
    expect(await cells("SELECT max(amount) FROM sales")).toEqual([[["sales.csv", "C2"]]]);
    expect(await cells("SELECT region, min(qty) FROM sales")).toEqual([[["sales.csv", "A4, D4"]]]);
  });

  it("name the cells of each joined table", async () => {
    expect(
      await cells(
        "SELECT s.qty, r.boss FROM sales s JOIN regions AS r ON s.region = r.region WHERE s.qty = 4",
      ),
    ).toEqual([
      [
        ["sales.csv", "A3, D3"],
        ["regions.csv", "A3:B3"],
      ],
    ]);
    expect(
      await cells(
        "SELECT r.boss, count(*) FROM sales s LEFT JOIN regions r USING (region) GROUP BY r.boss ORDER BY 1",
      ),
    ).toEqual([
      [["sales.csv", "A5"], undefined],
      [
        ["sales.csv", "A2:A4", 2],
        ["regions.csv", "A2:B2"],
      ],
      [
        ["sales.csv", "A3"],
        ["regions.csv", "A3:B3"],
      ],
    ]);
  });

  it.each([
    "SELECT DISTINCT region FROM sales",
    "SELECT region FROM sales UNION SELECT region FROM regions",
    "WITH s AS (SELECT region, sum(qty) AS q FROM sales GROUP BY 1) SELECT * FROM s",
    "SELECT day, max(amount), sum(qty) FROM sales",
  ])("name the whole columns where rows cannot be followed: %s", async (sql) => {
    const tables = await tablesWith({ "sales.csv": SALES, "regions.csv": REGIONS });
    const { citations, read } = tables.query(sql);
    expect(citations).toEqual([]);
    expect(read[0]).toMatchObject({ file: "sales.csv", rows: 4 });
    expect(read[0]?.cells).toMatch(/^[A-D]2:/);
  });

  it.each([
    "SELECT region, sum(amount) AS s FROM sales GROUP BY region HAVING s > 3 ORDER BY s DESC LIMIT 2",
    "SELECT region, max(amount) FROM sales GROUP BY region ORDER BY 1",
    "SELECT day, max(amount), sum(qty) FROM sales",
    "SELECT day, max(amount), min(amount) FROM sales",
    "SELECT qty, rank() OVER (ORDER BY amount) AS r FROM sales ORDER BY r, qty",
    "SELECT region, (SELECT max(qty) FROM sales t WHERE t.region = sales.region) AS m FROM sales ORDER BY 1, 2",
    "SELECT count(*) FILTER (WHERE qty > 2), avg(amount) FROM sales",
    "SELECT max(qty, 5) AS m FROM sales ORDER BY m",
    "SELECT s.region, r.boss FROM sales s LEFT JOIN regions r ON r.region = s.region ORDER BY 1, 2",
    "SELECT sum(amount) FROM sales WHERE qty > 100",
    "SELECT strftime('%Y-%m', day) AS month, sum(qty) FROM sales GROUP BY month ORDER BY month",
  ])("TBQ3: change no result: %s", async (sql) => {
    const tables = await tablesWith({ "sales.csv": SALES, "regions.csv": REGIONS });
    const answer = tables.query(sql);
    const plain = sql
      .replaceAll(
        /\bsales\b(?! t\b|\.)/g,
        "(SELECT rowid AS _row, c1 AS region, c2 AS day, c3 AS amount, c4 AS qty FROM edgecrew_rows_1) AS sales",
      )
      .replaceAll("AS sales s", "AS s")
      .replaceAll("FROM sales t", "FROM (SELECT c1 AS region, c4 AS qty FROM edgecrew_rows_1) AS t")
      .replaceAll(/\bregions r\b/g, "(SELECT c1 AS region, c2 AS boss FROM edgecrew_rows_2) AS r");
    const rows = tables.sqlite
      .prepare(plain)
      .all()
      .map((row) => Object.values(row));
    expect(answer.rows).toEqual(rows);
  });
});

describe("results", () => {
  it("have at most 500 rows, and the number of the others", async () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `${at},x`).join("\n");
    const tables = await tablesWith({ "t.csv": `n,k\n${lines}\n` });
    expect(tables.query("SELECT n FROM t")).toMatchObject({ more: 1_500, isOpen: false });
    expect(tables.query("SELECT n FROM t").rows).toHaveLength(500);
    expect(tables.query("SELECT n FROM t LIMIT 3, 700")).toMatchObject({ more: 200 });
    expect(tables.query("SELECT n FROM t LIMIT 700 OFFSET 1950")).toMatchObject({ more: 0 });
    expect(tables.query("VALUES (1), (2)").rows).toEqual([[1], [2]]);
  });

  it("count no more than 10,000 rows", async () => {
    const lines = Array.from({ length: 150 }, (_, at) => `${at},x`).join("\n");
    const tables = await tablesWith({ "t.csv": `n,k\n${lines}\n` });
    for (const limit of ["", " LIMIT 20000", " LIMIT 20000 OFFSET 1", " LIMIT 1, 1e9"])
      expect(tables.query(`SELECT a.n FROM t a, t b${limit}`)).toMatchObject({
        more: 9_500,
        isOpen: true,
      });
    expect(() => tables.query("SELECT n FROM t LIMIT -1")).toThrow("its LIMIT must be a number");
    expect(() => tables.query("SELECT n FROM t LIMIT (SELECT 9)")).toThrow(
      "its LIMIT must be a number",
    );
    expect(() => tables.query("SELECT n FROM t LIMIT 9 * 9999999")).toThrow(
      "its LIMIT must be a number",
    );
  });
});
