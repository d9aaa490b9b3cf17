// Statements that models may write, against a real D1.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { boundBrowser, boundDatabases } from "../../src/cloudflare/bound-services.ts";
import { SqliteDatabase } from "../../src/tools/catalog/sql/sqlite-database.ts";
import { resultTable } from "../../src/tools/catalog/sql/result-table.ts";
import { anyStatement, readStatement } from "../../src/tools/catalog/sql/sql-guard.ts";
import { tableList } from "../../src/tools/catalog/sql/table-list.ts";
import { nl2sql } from "../../src/tools/catalog/sql/index.ts";
import { Agent, Crew, Task } from "../../src/index.ts";
import { registry } from "./support/crews.ts";
import { plays } from "./support/models.ts";
import { evict, reaches, runs, start, TENANT } from "./support/runs.ts";

const bound = boundDatabases(env)("DB");
if (bound?.kind !== "d1") throw new Error("D1 is not bound");
const { database: binding } = bound;
const database = new SqliteDatabase(binding);
const limits = { maxRows: 500, timeoutMs: 30_000, signal: new AbortController().signal };

beforeEach(async () => {
  for (const sql of [
    "DROP TABLE IF EXISTS teas",
    "CREATE TABLE teas (id INTEGER PRIMARY KEY, name TEXT, leaf BLOB)",
    "INSERT INTO teas VALUES (1, 'Assam', x'0102'), (2, NULL, NULL)",
  ])
    await binding.prepare(sql).run();
});

const read = async (sql: string) =>
  resultTable(await database.read(readStatement(sql, "sqlite"), limits));
const count = () => read("SELECT count(*) AS n FROM teas");
const TWO = "| n |\n| --- |\n| 2 |";

describe("D1", () => {
  it("returns rows with their columns, also an empty list", async () => {
    expect(await read("SELECT * FROM teas ORDER BY id")).toBe(
      "| id | name | leaf |\n| --- | --- | --- |\n| 1 | Assam | <2 bytes> |\n| 2 | NULL | NULL |",
    );
    expect(await read("SELECT * FROM teas WHERE id = 9")).toBe("The query gave no rows.");
    expect(await read("PRAGMA table_info(teas)")).toContain("| 1 | name | TEXT |");
    expect(await read("EXPLAIN QUERY PLAN SELECT * FROM teas")).toContain("SCAN teas");
    expect(await read("EXPLAIN SELECT 1")).toContain("Init");
    expect(await read("VALUES (1)")).toContain("| 1 |");
    expect(await read("SELECT id FROM teas ORDER BY id DESC")).toMatch(/\| 2 \|\n\| 1 \|$/);
  });

  it("lists its tables", async () => {
    expect(await tableList(database, limits, ["teas"])).toBe(
      "teas(id INTEGER, name TEXT, leaf BLOB)",
    );
    const all = await tableList(database, limits);
    expect(all).toContain("definitions(tenant TEXT, kind TEXT,");
    expect(all).toContain("memory_text(");
    expect(all).not.toMatch(/sqlite_|_cf_|memory_text_idx/);
  });

  it("is asked about a statement's effect: ANALYZE writes, SELECT does not (S5)", async () => {
    const direct = (text: string) => database.read({ text, first: "table", isRead: true }, limits);
    await expect(direct("ANALYZE")).rejects.toMatchObject({ failureCode: "refused" });
    await expect(direct("DELETE FROM teas")).rejects.toMatchObject({ failureCode: "refused" });
    await expect(direct("INSERT INTO teas (id) VALUES (9)")).rejects.toMatchObject({
      failureCode: "refused",
    });
    await expect(direct("CREATE TABLE x (a)")).rejects.toMatchObject({ failureCode: "refused" });
    await expect(direct("DROP TABLE teas")).rejects.toMatchObject({ failureCode: "refused" });
    await expect(direct("VACUUM")).rejects.toThrow(/says that this statement writes/);
    expect((await direct("SELECT * FROM teas")).rows).toHaveLength(2);
    expect(await count()).toBe(TWO);
  });

  it("writes rows when allowed", async () => {
    const write = (sql: string) => database.write(anyStatement(sql, "sqlite"));
    expect(await write("INSERT INTO teas (name) VALUES ('a'), ('b');")).toBe(2);
    expect(await write("UPDATE teas SET name = 'c' WHERE id > 2")).toBe(2);
    expect(await write("DELETE FROM teas WHERE name = 'c'")).toBe(2);
    expect(await count()).toBe(TWO);
  });
});

describe("hostile statements", () => {
  it.each([
    "SELECT 1; DROP TABLE teas",
    "SELECT 1;DROP TABLE teas;",
    "EXPLAIN SELECT 1; DROP TABLE teas",
    "SELECT 1 -- \r ' \n; DROP TABLE teas --'",
    "SELECT 1 /* /* */; DROP TABLE teas --*/",
    "SELECT 1 # '\n; DROP TABLE teas --'",
    "SELECT $$'$$; DROP TABLE teas --'",
    "SELECT 'a\\'; DROP TABLE teas --'",
    'SELECT "a\\"; DROP TABLE teas --"',
    "SELECT `a\\`; DROP TABLE teas --`",
    "SELECT [a]]; DROP TABLE teas --]",
    "SELECT [a'] FROM teas; DROP TABLE teas --'",
    "SELECT E'a\\''; DROP TABLE teas --'",
    "SELECT x'00'; DROP TABLE teas",
    "SELECT 1 /*!; DROP TABLE teas */",
    "SELECT 1 /* '*/; DROP TABLE teas --'",
    "SELECT 1 --'\n; DROP TABLE teas --'",
    "SELECT 1\0; DROP TABLE teas",
    "SELECT 1) LIMIT 1; DROP TABLE teas; SELECT (1",
    "SELECT 1) UNION SELECT name FROM teas -- ",
    "SELECT 1 FROM teas) a; DELETE FROM teas; SELECT * FROM (SELECT 1",
    "WITH a AS (SELECT 1) DELETE FROM teas",
    "WITH a AS (SELECT 1) INSERT INTO teas (id) SELECT 77",
    "WITH a AS (SELECT 1) REPLACE INTO teas (id) SELECT 1",
    "WITH a AS (SELECT 1) UPDATE teas SET name = 'x'",
    "REPLACE INTO teas (id) VALUES (1)",
    "DELETE FROM teas RETURNING *",
    "PRAGMA writable_schema=1",
    "PRAGMA writable_schema(1)",
    "PRAGMA table_info(teas); DROP TABLE teas",
    "SELECT * FROM pragma_table_info('teas'); DROP TABLE teas",
    "ATTACH DATABASE 'x' AS y",
    "VACUUM INTO 'x'",
    "BEGIN; DROP TABLE teas; COMMIT",
    "SAVEPOINT a",
    "SELECT load_extension('x')",
    "SELECT \"load_extension\"('x')",
    "SELECT writefile('x', 'y')",
    "SELECT fts3_tokenizer('simple', x'00')",
    "CREATE TEMP TRIGGER t AFTER INSERT ON teas BEGIN DELETE FROM teas; END",
    "EXPLAIN DELETE FROM teas",
    "\uFEFFDROP TABLE teas",
    "\u200bSELECT 1; DROP TABLE teas",
    "/**/DROP/**/TABLE/**/teas",
    "((DROP TABLE teas))",
    "SELECT 1 UNION DELETE FROM teas",
    "VALUES (1); DROP TABLE teas",
    "TABLE teas; DROP TABLE teas",
    ";;DROP TABLE teas",
    "SELECT 1;\u00a0DROP TABLE teas",
  ])("%j changes no row", async (sql) => {
    await read(sql).catch(() => undefined);
    expect(await count()).toBe(TWO);
    expect(await read("SELECT name FROM teas WHERE id = 1")).toContain("Assam");
    expect(await read("SELECT count(*) AS n FROM teas WHERE name = 'x' OR id = 77")).toContain(
      "| 0 |",
    );
  });

  it("an endless query is ended by its bound", async () => {
    const rows = await database.read(
      readStatement(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "sqlite",
      ),
      limits,
    );
    expect([rows.rows.length, rows.more, rows.isOpen]).toEqual([500, 9_500, true]);
  });
});

describe("bindings by name", () => {
  it("are databases, a browser, or undefined", () => {
    const names = [
      "FILES",
      "ANSWERS",
      "EDGECREW_AUTH",
      "CREW_RUN",
      "NOWHERE",
      "__proto__",
      "constructor",
      "toString",
    ];
    expect(names.map((name) => boundDatabases(env)(name))).toEqual(names.map(() => undefined));
    const connectionString = "postgres://u:p@h/d";
    expect(boundDatabases({ PG: { connectionString } })("PG")).toEqual({
      kind: "hyperdrive",
      connectionString,
    });
    expect(boundBrowser(env)).toBeUndefined();
    const browser = { quickAction: async () => new Response("") };
    expect(boundBrowser({ BROWSER: browser })).toBe(browser);
  });
});

describe("an agent that writes rows", () => {
  it("asks first, through an eviction, and then writes once (S6)", async () => {
    const statement = (sql: string) => [{ name: "nl2sql_tool", arguments: { sql_query: sql } }];
    const agent = new Agent({
      role: "Keeper",
      goal: "keep the shop",
      backstory: "made for a test",
      llm: plays(
        statement("SELECT count(*) AS n FROM teas"),
        statement("INSERT INTO teas (name) VALUES ('Oolong')"),
      ),
      tools: [nl2sql({ dbUri: "d1:DB", allowDml: true, tables: ["teas"] })],
    });
    const work = new Task({
      name: "work",
      description: "Add a tea",
      expectedOutput: "done",
      agent,
    });
    Object.assign(registry, { "sql-keeper": new Crew({ name: "sql-keeper", tasks: [work] }) });
    const id = await start("sql-keeper");
    const { waits } = await reaches(id, "waiting");
    expect(waits[0]?.prompt).toContain("INSERT INTO teas");
    expect(await count()).toBe(TWO);
    await evict(id);
    await runs.resume(TENANT, id, { approve: true });
    const { output } = await reaches(id, "completed");
    expect((output as { raw: string }).raw).toContain('{"changed":1}');
    expect(await count()).toBe("| n |\n| --- |\n| 3 |");
  });
});
