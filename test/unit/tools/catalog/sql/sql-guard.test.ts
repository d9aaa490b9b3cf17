import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyStatement, readStatement } from "../../../../../src/tools/catalog/sql/sql-guard.ts";
import type { SqlDialect } from "../../../../../src/tools/catalog/sql/sql-tokens.ts";
import { computedMs } from "../../../../support/computed-ms.ts";

const ALL: readonly SqlDialect[] = ["sqlite", "postgres", "mysql"];

/** Undefined for a statement that is let through, else why it is not. */
function fault(
  sql: string,
  dialect: SqlDialect = "postgres",
  judge = readStatement,
): string | undefined {
  try {
    judge(sql, dialect);
    return undefined;
  } catch (error) {
    if ((error as { failureCode?: string }).failureCode !== "refused") throw error;
    return (error as Error).message;
  }
}

const faults = (sql: string, dialects = ALL) => dialects.map((dialect) => fault(sql, dialect));

describe("SQG1: one statement", () => {
  it.each([
    "SELECT 1;",
    'select * from "delete"',
    "SELECT 'DROP TABLE x'",
    "SELECT ';'",
    "/*x*/ SELECT 1",
    "VALUES (1)",
    "SELECT 1 ; ; ",
    "SELECT 'it''s; DROP TABLE x'",
    "(SELECT 1) UNION (SELECT 2)",
    "SELECT 1 -- ; DROP TABLE x",
    "SELECT /* ; */ 1",
  ])("SQG1: %s is run (S1)", (sql) => {
    expect(faults(sql)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    "SELECT 1; DROP TABLE x",
    "SELECT 1; SELECT 2",
    "-- c\nDROP TABLE x",
    "SELECT 1;--\nDROP TABLE x",
    "SELECT 1 /* x */; /* y */ DELETE FROM t",
    "SELECT 'a'; DROP TABLE x --'",
    "SELECT 1) ; DROP TABLE x; SELECT (1",
    "SELECT 1) UNION SELECT (2",
    "SELECT (1",
    "",
    ";",
    "-- nothing",
    "SELECT 1\0; DROP TABLE x",
    "SELECT 'never ends",
    'SELECT "never ends',
    "SELECT /* never ends",
    "\uFEFFSELECT 1",
    "SELECT\u00a01",
  ])("SQG1: %j is not (S2)", (sql) => {
    expect(faults(sql)).not.toContain(undefined);
  });

  it("reaches the database without its end", () => {
    expect(readStatement(" SELECT 1 ; -- c", "sqlite").text).toBe(" SELECT 1");
  });
});

describe("SQT1: strings, names and comments", () => {
  const HIDDEN = "; DROP TABLE x";

  it.each<[string, SqlDialect, boolean]>([
    // comments within comments are comments in Postgres alone
    [`SELECT 1 /* /* */ ${HIDDEN} */`, "postgres", true],
    [`SELECT 1 /* /* */ ${HIDDEN} */`, "sqlite", false],
    [`SELECT 1 /* /* */ ${HIDDEN} */`, "mysql", false],
    // `#` begins a comment in MySQL alone
    [`SELECT 1 # ${HIDDEN}`, "mysql", true],
    [`SELECT 1 # ${HIDDEN}`, "postgres", false],
    [`SELECT 1 # ${HIDDEN}`, "sqlite", false],
    // `--` needs a blank behind it in MySQL
    [`SELECT 1 --${HIDDEN}`, "mysql", false],
    [`SELECT 1 --${HIDDEN}`, "sqlite", true],
    [`SELECT 1 --${HIDDEN}`, "postgres", true],
    [`SELECT 1 --`, "mysql", true],
    // a line of a comment ends at a carriage return in Postgres alone
    [`SELECT 1 -- \r ' \n ${HIDDEN} --'`, "sqlite", false],
    [`SELECT 1 -- \r ' \n ${HIDDEN} --'`, "mysql", false],
    [`SELECT 1 -- \r ' \n ${HIDDEN} --'`, "postgres", true],
    // texts in dollars are texts in Postgres alone
    [`SELECT $$ ${HIDDEN} $$`, "postgres", true],
    [`SELECT $a$ ${HIDDEN} $b$ ' $a$`, "postgres", true],
    [`SELECT $$ ${HIDDEN} $$`, "sqlite", false],
    [`SELECT $$ ${HIDDEN} $$`, "mysql", false],
    [`SELECT a$$ ${HIDDEN} $$`, "postgres", false],
    [`SELECT $1 ${HIDDEN}`, "postgres", false],
    // a quote behind a backslash ends a text, or does not
    [`SELECT 'a\\' ${HIDDEN} --'`, "postgres", false],
    [`SELECT 'a\\' ${HIDDEN} --'`, "sqlite", false],
    [`SELECT 'a\\' ${HIDDEN} --'`, "mysql", true],
    [`SELECT E'a\\' ${HIDDEN} --'`, "postgres", true],
    [`SELECT e'a\\' ${HIDDEN} --'`, "postgres", true],
    [`SELECT E'a'\n'b\\'' ${HIDDEN} --'`, "postgres", false],
    [`SELECT U&'a\\' ${HIDDEN} --'`, "postgres", false],
    [`SELECT "a\\" ${HIDDEN} --"`, "mysql", true],
    [`SELECT "a\\" ${HIDDEN} --"`, "sqlite", false],
    // names in quotes
    [`SELECT "a"" ${HIDDEN}"`, "sqlite", true],
    [`SELECT \`a\`\` ${HIDDEN}\``, "mysql", true],
    [`SELECT \`a\` ${HIDDEN} \``, "mysql", false],
    [`SELECT [a ${HIDDEN}]`, "sqlite", true],
    [`SELECT [a]] ${HIDDEN}`, "sqlite", false],
    [`SELECT a[1 ${HIDDEN}]`, "postgres", false],
    // texts of bits and bytes
    [`SELECT x'ab'`, "sqlite", true],
    [`SELECT B'01', X'1F', N'a'`, "postgres", true],
    [`SELECT _utf8'a\\'b'`, "mysql", true],
  ])("SQT1: %j in %s: %s", (...[sql, dialect, isOne]) => {
    expect(fault(sql, dialect) === undefined).toBe(isOne);
  });

  it.each([
    "/*!50000 DROP TABLE x */ SELECT 1",
    "SELECT 1 /*!INTO OUTFILE '/tmp/x'*/",
    "SELECT /*M!100100 SLEEP(5) */ 1",
    "SELECT /*+ SET_VAR(max_execution_time=0) */ 1",
  ])("SQT2: the comment in %j is run by MySQL, and so refused (S2)", (sql) => {
    expect(fault(sql, "mysql")).toContain("a comment that the database runs");
  });

  it.each([
    'SELECT U&"pg\\005fsleep"(10)',
    'SELECT u&"d\\0061t" FROM t',
    "SELECT 1\u000b",
    "SELECT\u0001 1",
  ])("SQT2: %j is written in a way of its own, and so refused", (sql) => {
    expect(fault(sql, "postgres")).toContain("The statement is not run: it has");
  });
});

describe("SQG2: writing statements", () => {
  it.each([
    "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a",
    "WITH a AS MATERIALIZED (UPDATE t SET b = 1 RETURNING *) SELECT * FROM a",
    "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
    "with a as (select 1) delete from t",
    "WITH a AS (SELECT 1) REPLACE INTO t SELECT * FROM a",
    "WITH a AS (SELECT 1) MERGE INTO t USING a ON true WHEN MATCHED THEN DELETE",
    "SELECT * INTO y FROM t",
    "SELECT 1INTO y",
    "SELECT 1.INTO y",
    "SELECT 0x1INTO y",
    "SELECT * FROM t INTO OUTFILE '/tmp/x'",
    "SELECT a INTO @b FROM t",
    "TABLE t INTO DUMPFILE '/tmp/x'",
    "SELECT * FROM t FOR UPDATE",
    "SELECT * FROM t FOR NO KEY UPDATE",
    "SELECT * FROM t FOR SHARE",
    "SELECT * FROM t FOR /* x */ KEY SHARE",
    "SELECT * FROM t LOCK IN SHARE MODE",
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET a = 1",
    "DELETE FROM t",
    "REPLACE INTO t VALUES (1)",
    "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE",
    "CREATE TABLE t (a int)",
    "CREATE TABLE t AS SELECT 1",
    "DROP TABLE t",
    "ALTER TABLE t ADD b int",
    "TRUNCATE t",
    "GRANT ALL ON t TO public",
    "COPY t TO '/tmp/x'",
    "COPY (SELECT 1) TO PROGRAM 'sh'",
    "CALL p()",
    "DO $$ BEGIN DELETE FROM t; END $$",
    "EXECUTE p",
    "PREPARE p AS DELETE FROM t",
    "SET a = 1",
    "BEGIN",
    "COMMIT",
    "LOCK TABLE t",
    "VACUUM",
    "ANALYZE",
    "REINDEX",
    "ATTACH 'x' AS y",
    "LOAD DATA INFILE 'x' INTO TABLE t",
    "HANDLER t OPEN",
    "REFRESH MATERIALIZED VIEW v",
    "LISTEN x",
    "'SELECT' 1",
    "(DELETE FROM t)",
    "((SELECT 1) UNION DELETE FROM t)",
  ])("SQG2: %s is refused (S2, S3)", (sql) => {
    expect(faults(sql)).not.toContain(undefined);
  });

  it("are reported, with the setting to allow them", () => {
    expect(fault("INSERT INTO t VALUES (1)")).toBe(
      "This tool only reads: INSERT is not allowed. Set allow_dml to let it write.",
    );
    expect(fault("DROP TABLE t")).toBe("This tool only reads: DROP is not allowed.");
    expect(fault("SELECT * FROM t FOR UPDATE")).toBe(
      "This tool only reads: FOR UPDATE (row locks) is not allowed.",
    );
  });

  it.each([
    "SELECT replace(name, 'a', 'b') FROM t",
    "SELECT INSERT('abc', 1, 1, 'x'), TRUNCATE(1.5, 0)",
    "SELECT t.update, t.delete, t.into FROM t",
    "SELECT comment, copy, call FROM posts",
    "SELECT updated_at, deleted, created FROM t",
    "SELECT 'INSERT', 'for update'",
    "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a WHERE n < 5) SELECT * FROM a",
    "SELECT substring(a FOR 3) FROM t",
    "SELECT count(*) FILTER (WHERE a > 1) OVER (PARTITION BY b) FROM t",
    "SHOW TABLES",
    "TABLE t",
    "DESCRIBE t",
  ])("%s is run", (sql) => {
    expect(faults(sql)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ["EXPLAIN SELECT 1", true],
    ["EXPLAIN QUERY PLAN SELECT 1", true],
    ["EXPLAIN ANALYZE SELECT 1", true],
    ["EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1", true],
    ["EXPLAIN FORMAT=TREE SELECT 1", true],
    ["EXPLAIN ANALYZE VERBOSE WITH a AS (SELECT 1) SELECT * FROM a", true],
    ["EXPLAIN t", true],
    ["DESC t", true],
    ["EXPLAIN ANALYZE DELETE FROM t", false],
    ["EXPLAIN (ANALYZE) DELETE FROM t", false],
    ["EXPLAIN DELETE FROM t", false],
    ["EXPLAIN ANALYZE EXECUTE p", false],
    ["EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1", false],
    ["EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1", false],
    ["EXPLAIN ANALYZE REFRESH MATERIALIZED VIEW v", false],
    ["PRAGMA table_info(t)", true],
    ["PRAGMA main.table_info('t')", true],
    ["PRAGMA table_list", true],
    ["PRAGMA writable_schema=1", false],
    ["PRAGMA writable_schema(1)", false],
    ["PRAGMA table_info = 1", false],
    ["PRAGMA table_info(t) = 1", false],
    ["PRAGMA journal_mode", false],
    ["PRAGMA x.writable_schema(1)", false],
  ])("%s: %s (S4)", (sql, isRun) => {
    expect(faults(sql).map((each) => each === undefined)).toEqual([isRun, isRun, isRun]);
  });
});

describe("SQG3: functions with effects", () => {
  it.each([
    "SELECT pg_sleep(10)",
    "SELECT lo_import('/x')",
    "SELECT nextval('s')",
    "SELECT load_extension('x')",
    "SELECT PG_SLEEP (10)",
    "SELECT pg_catalog.pg_sleep(10)",
    'SELECT "pg_sleep"(10)',
    'SELECT pg_catalog . "pg_sleep" /* x */ (10)',
    "SELECT pg_sleep_for('1 h')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT * FROM pg_ls_dir('/')",
    "SELECT pg_read_binary_file('/x')",
    "SELECT lo_export(1, '/x')",
    "SELECT * FROM dblink('host=x', 'DELETE FROM t') AS a(b int)",
    "SELECT dblink_exec('x', 'y')",
    "SELECT pg_terminate_backend(1)",
    "SELECT pg_advisory_lock(1)",
    "SELECT set_config('a', 'b', false)",
    "SELECT setval('s', 1)",
    "SELECT query_to_xml('DELETE FROM t', true, true, '')",
    "SELECT * FROM ts_stat('DELETE FROM t')",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT sleep(10)",
    "SELECT `sleep`(10)",
    "SELECT BENCHMARK(1e9, md5('a'))",
    "SELECT GET_LOCK('a', 10)",
    "SELECT sys_exec('sh')",
    "SELECT [load_extension]('x')",
    "SELECT writefile('x', 'y')",
    "SELECT 1 WHERE 1 = (SELECT 1 FROM (SELECT pg_sleep(1)) x)",
  ])("SQG3: %s is refused (S3)", (sql) => {
    const own = sql.includes("[")
      ? (["sqlite"] as const)
      : sql.includes("`")
        ? (["mysql"] as const)
        : ALL;
    expect(faults(sql, own)).not.toContain(undefined);
  });

  it.each([
    "SELECT sleep, benchmark FROM t",
    "SELECT 'pg_sleep(10)'",
    "SELECT my_sleep(1)",
    "SELECT edits(1)",
  ])("%s calls no such function", (sql) => {
    expect(faults(sql)).toEqual([undefined, undefined, undefined]);
  });
});

describe("tools with row writes", () => {
  const judged = (sql: string): string =>
    fault(sql, "postgres", anyStatement) ??
    (anyStatement(sql, "postgres").isRead ? "reads" : "writes");

  it.each([
    ["SELECT 1", "reads"],
    ["INSERT INTO t VALUES (1)", "writes"],
    ["INSERT INTO t VALUES (nextval('s'))", "writes"],
    ["UPDATE t SET a = 1 WHERE b = 2;", "writes"],
    ["WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a", "writes"],
    ["INSERT INTO t SELECT replace(a, 'b', 'c') FROM s", "writes"],
  ])("%s: %s", (sql, outcome) => {
    expect(judged(sql)).toBe(outcome);
  });

  it.each([
    "INSERT INTO t VALUES (1); DELETE FROM t",
    "DROP TABLE t",
    "CREATE TABLE t (a int)",
    "TRUNCATE t",
    "GRANT ALL ON t TO public",
    "EXPLAIN ANALYZE DELETE FROM t",
    "SELECT * INTO y FROM t",
    "INSERT INTO t VALUES (pg_read_file('/x'))",
    "UPDATE t SET a = load_file('/x')",
    "PRAGMA writable_schema=1",
    "COMMIT",
  ])("%s is refused", (sql) => {
    expect(judged(sql)).toMatch(/not allowed|one statement/);
  });
});

it("reads a long statement in no time", () => {
  const began = computedMs();
  for (const dialect of ALL) {
    fault(`SELECT ${"'a' || ".repeat(20_000)}'b'`, dialect);
    fault(`SELECT ${'"a" || '.repeat(20_000)}1`, dialect);
    fault(`SELECT ${"/* */ ".repeat(20_000)}1`, dialect);
    fault(`SELECT 1 ${"-- \n".repeat(20_000)}`, dialect);
    fault(`SELECT ${"(".repeat(20_000)}1`, dialect);
    fault(`SELECT ${"$$".repeat(20_001)}`, dialect);
    fault(`SELECT ${"/*".repeat(20_000)}`, dialect);
  }
  expect(computedMs() - began).toBeLessThan(3_000);
});

describe("statements against the database's own reading", () => {
  /** What begins and ends texts, names and comments, in one database or another. */
  const MARKS = "' \" ` [ ] -- /* */ \\ $$ # E".split(" ").concat("\n", "\r", " ");
  const ENDS = ["", "--", "--'", '--"', "--`", "--]", "--*/", "/*", "--$$"];

  it("accepted texts change no table in SQLite, which runs every statement of a text", () => {
    const sqlite = new DatabaseSync(":memory:");
    sqlite.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    const intact = sqlite.prepare("SELECT count(*) AS n FROM t");
    let passed = 0;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...MARKS), { maxLength: 6 }),
        fc.constantFrom(...ENDS),
        (marks, end) => {
          const sql = `SELECT 1 ${marks.join("")}; DELETE FROM t ${end}`;
          if (fault(sql, "sqlite") !== undefined) return;
          passed++;
          const { text } = readStatement(sql, "sqlite");
          for (const run of [sql, text, `SELECT * FROM (\n${text}\n) LIMIT 1`])
            try {
              sqlite.exec(run);
            } catch {
              // not every text is SQL
            }
          const left = intact.get();
          sqlite.exec("INSERT INTO t SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM t)");
          expect(left).toEqual({ n: 1 });
        },
      ),
      { numRuns: 60_000 },
    );
    expect(passed).toBeGreaterThan(1_000);
  });
});
