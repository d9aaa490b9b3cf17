import { describe, expect, it } from "vitest";
import { tablesWith } from "../../../../support/table-world.ts";

const opened = async () => {
  const tables = await tablesWith({ "t.csv": "a,b\n1,x\n2,y\n", "other.csv": "secret\n7\n8\n" });
  tables.sqlite.exec(
    "CREATE TABLE steps (key TEXT, value TEXT); INSERT INTO steps VALUES ('k', 'hidden')",
  );
  return tables;
};

/** Returns the failure with its code, or what was answered. */
function outcomeOf(work: () => unknown): string {
  try {
    return JSON.stringify(work());
  } catch (error) {
    const { failureCode, message } = error as { failureCode?: string; message: string };
    return `${failureCode}: ${message}`;
  }
}

describe("statements of models", () => {
  it.each([
    "SELECT * FROM steps",
    'SELECT * FROM "steps"',
    "SELECT * FROM [steps]",
    "SELECT * FROM `steps`",
    "SELECT * FROM main.steps",
    "SELECT * FROM/**/steps",
    "SELECT a FROM t WHERE a IN (SELECT value FROM steps)",
    "SELECT (SELECT value FROM steps LIMIT 1) FROM t",
    "SELECT a FROM t UNION ALL SELECT value FROM steps",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM steps WHERE value LIKE 'h%')",
    "WITH x AS (SELECT * FROM steps) SELECT * FROM x",
    "SELECT * FROM t JOIN steps",
    "SELECT a FROM t ORDER BY (SELECT value FROM steps)",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM sqlite_temp_schema",
    "SELECT * FROM edgecrew_rows_1",
    "SELECT * FROM edgecrew_rows_2",
    "SELECT * FROM edgecrew_tables",
    "SELECT * FROM pragma_table_info('steps')",
    "SELECT * FROM pragma_table_list",
    "SELECT * FROM json_each('[1]')",
    "SELECT count(*) FROM t, t t2 WHERE t.a = (SELECT count(*) FROM steps)",
  ])("TBG2, TBQ1: does not read beyond the tables of the call: %s", async (sql) => {
    const tables = await opened();
    const said = outcomeOf(() => tables.query(sql, ["t.csv"]).rows);
    expect(said).toMatch(/^(?:refused|bad_request): /);
    expect(said).not.toMatch(/hidden|CREATE/);
  });

  it.each([
    "DELETE FROM t",
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET a = 1",
    "WITH x AS (SELECT 1) DELETE FROM edgecrew_rows_1",
    "SELECT 1; DROP TABLE edgecrew_rows_1",
    "DROP TABLE edgecrew_rows_1",
    "DELETE FROM edgecrew_rows_1 RETURNING *",
    "PRAGMA table_info(steps)",
    "ATTACH ':memory:' AS m",
    "EXPLAIN SELECT 1",
    "VACUUM",
    "SELECT 1 /* open",
    "SELECT 'open",
    "SELECT ?",
    "SELECT :a",
    "",
    "TABLE t",
    "SHOW TABLES",
  ])("TBG1: takes one SELECT alone: %j", async (sql) => {
    const tables = await opened();
    expect(outcomeOf(() => tables.query(sql).rows)).toMatch(/^(?:refused|bad_request): /);
    expect(tables.query("SELECT count(*) FROM t").rows).toEqual([[2]]);
  });

  it.each([
    "SELECT zeroblob(1000000000)",
    "SELECT randomblob(1000000)",
    "SELECT printf('%1000000000d', 1)",
    "SELECT format('%.*c', 1000000000, 'x')",
    "SELECT hex(a) FROM t",
    "SELECT load_extension('x')",
    'SELECT "zeroblob"(10)',
    "SELECT [zeroblob](10)",
    "SELECT `randomblob`(10)",
    "SELECT zeroblob /* */ (10)",
    "SELECT sqlite_version()",
    "SELECT json_group_array(a) FROM t",
    "SELECT a FROM t WHERE a = random()",
  ])("TBG1: has no function beyond the list: %s", async (sql) => {
    const tables = await opened();
    expect(() => tables.query(sql)).toThrow(/function .* is not/);
  });

  it.each([
    "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x",
    "WITH x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x",
    "SELECT * FROM (WITH x(n) AS (SELECT 1 UNION SELECT n + 1 FROM x) SELECT n FROM x)",
    "WITH y AS (SELECT 1), x(n) AS (SELECT a FROM t UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x, t",
  ])("TBG3: runs no recursion: %s", async (sql) => {
    const tables = await opened();
    expect(() => tables.query(sql)).toThrow("a recursive WITH is not run");
  });

  it("names the tables and columns there are", async () => {
    const tables = await opened();
    expect(() => tables.query("SELECT c FROM t", ["t.csv"])).toThrow(
      "no such column: c Tables: t(a, b)",
    );
  });
});

describe("steps of a statement", () => {
  const many = (rows: number, kinds: number) =>
    `k,n\n${Array.from({ length: rows }, (_, at) => `k${at % kinds},${at}`).join("\n")}\n`;

  it.each([
    "SELECT count(*) FROM a, b",
    "SELECT count(*) FROM a JOIN b ON a.n < b.n",
    "SELECT count(*) FROM a CROSS JOIN b CROSS JOIN a c",
    "SELECT count(*) FROM a JOIN b ON a.k = b.k OR a.n = b.n",
    "SELECT count(*) FROM a JOIN a c ON a.k = c.k",
    "SELECT a.n, (SELECT count(*) FROM b WHERE b.n < a.n) FROM a",
    "SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.n + a.n = 7)",
    "SELECT count(*) FROM a WHERE n IN (SELECT b.n + c.n FROM b, b c)",
    "WITH x AS (SELECT a.n FROM a, b) SELECT count(*) FROM x",
    "SELECT count(*) FROM (SELECT * FROM a UNION ALL SELECT * FROM a) x, b",
  ])("TBG3: are bounded before it runs: %s", async (sql) => {
    const tables = await tablesWith({ "a.csv": many(20_000, 2), "b.csv": many(10_000, 10_000) });
    expect(() => tables.query(sql)).toThrow(/million steps/);
  });

  it.each([
    ["SELECT count(*) FROM a JOIN b ON a.n = b.n", 10_000],
    ["SELECT count(*) FROM a JOIN b USING (n)", 10_000],
    ["SELECT count(*) FROM b JOIN d ON b.k = d.k", 10_000],
    ["SELECT count(*) FROM a JOIN d ON a.k = d.k", 20_000],
    ["SELECT count(*) FROM d JOIN a ON a.k = d.k", 20_000],
    ["SELECT count(*) FROM a LEFT JOIN b ON a.n = b.n", 20_000],
    [
      "WITH s AS (SELECT k, sum(n) AS t FROM a GROUP BY k) SELECT count(*) FROM a JOIN s ON a.k = s.k",
      20_000,
    ],
    ["SELECT count(*) FROM a WHERE n > (SELECT avg(n) FROM a)", 10_000],
    ["SELECT count(*) FROM a WHERE n IN (SELECT n FROM b)", 10_000],
    ["SELECT count(*) FROM (SELECT k FROM a UNION ALL SELECT k FROM b)", 30_000],
  ])("allow usual joins: %s", async (sql, count) => {
    const tables = await tablesWith({
      "a.csv": many(20_000, 2),
      "b.csv": many(10_000, 10_000),
      "d.csv": many(10_000, 10_000),
    });
    expect(tables.query(sql).rows).toEqual([[count]]);
  });
});
