import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/base/json.ts";
import type { RunScope } from "../../../../../src/events/run-scope.ts";
import type { RunServices } from "../../../../../src/events/run-services.ts";
import { LocalRun } from "../../../../../src/runtime/handle/local-run.ts";
import { callTool, type ToolCallOutcome } from "../../../../../src/tools/call-tool.ts";
import { nl2sql, singleStoreSearch } from "../../../../../src/tools/catalog/sql/index.ts";
import { isToolSource } from "../../../../../src/tools/tool-source.ts";
import type { Tool } from "../../../../../src/tools/tool.ts";
import { cutAfterEveryWrite, type Subject } from "../../../../support/cut-off.ts";
import { sqliteBinding } from "../../../../support/sqlite-binding.ts";

const dbUri = "d1:SHOP";

function shop(): DatabaseSync {
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(
    "CREATE TABLE teas (id INTEGER PRIMARY KEY, name TEXT, price REAL, leaf BLOB); CREATE VIEW cheap AS SELECT name FROM teas WHERE price < 3;" +
      "INSERT INTO teas VALUES (1, 'Assam', 2.5, x'0102'), (2, 'a|b\nc', NULL, NULL)",
  );
  return sqlite;
}

/** What a run does with the tool: it opens it, and calls it. */
function subject(
  options: Parameters<typeof nl2sql>[0],
  calls: readonly string[],
  { sqlite = shop(), ...services }: RunServices & { readonly sqlite?: DatabaseSync } = {},
) {
  const binding = sqliteBinding(sqlite);
  const statements = binding.statements;
  const databases: RunServices["databases"] = (name) =>
    name === "SHOP" ? { kind: "d1", database: binding } : undefined;
  const made: Subject = {
    services: { databases, variables: {}, ...services },
    calls: statements,
    program: {
      tasks: [],
      run: async (scope) => {
        const tool = await opened(options, scope);
        const outcomes = await Promise.all(
          calls.map((sql, index) => called(scope.at(`call:${index}`), tool, sql)),
        );
        return { description: tool.description, outcomes } as unknown as JsonObject;
      },
    },
  };
  return { ...made, statements, sqlite };
}

async function opened(options: Parameters<typeof nl2sql>[0], scope: RunScope): Promise<Tool> {
  const source = nl2sql(options);
  expect(isToolSource(source)).toBe(true);
  const [tool] = await source.open(scope.at("source"), { agentRole: "Analyst" });
  if (tool === undefined) throw new Error("there is no tool");
  return tool;
}

type Told = {
  readonly text?: string;
  readonly data?: { readonly rows?: readonly JsonObject[]; readonly changed?: number };
  readonly code?: string | undefined;
  readonly message?: string;
};

async function called(scope: RunScope, tool: Tool, sql: string): Promise<Told> {
  const outcome: ToolCallOutcome = await callTool(scope, {
    tool,
    input: { sql_query: sql },
    caller: { agentRole: "Analyst" },
  });
  if (outcome.kind === "failure") {
    const { code, message } = outcome.failure;
    return { ...(code === undefined ? undefined : { code }), message };
  }
  return { text: outcome.text, data: outcome.raw() as never };
}

async function asked(
  sql: string | readonly string[],
  options: Parameters<typeof nl2sql>[0] = { dbUri },
  services: Parameters<typeof subject>[2] = {},
) {
  const made = subject(options, [sql].flat(), services);
  const run = new LocalRun({ kind: "crew", name: "sql", inputs: {} }, made.program, {
    services: made.services ?? {},
  });
  const output = (await run.output()) as unknown as { description: string; outcomes: Told[] };
  const [first = {}] = output.outcomes;
  return { ...output, first, statements: made.statements, sqlite: made.sqlite };
}

describe("NL2SQLTool", () => {
  it("gives rows as a table, and as data", async () => {
    const { first } = await asked("SELECT * FROM teas ORDER BY id;");
    expect(first.text).toBe(
      "| id | name | price | leaf |\n| --- | --- | --- | --- |\n| 1 | Assam | 2.5 | <2 bytes> |\n| 2 | a\\|b c | NULL | NULL |",
    );
    expect(first.data?.rows).toEqual([
      { id: 1, name: "Assam", price: 2.5, leaf: "<2 bytes>" },
      { id: 2, name: "a|b\nc", price: null, leaf: null },
    ]);
  });

  it("reports an empty result", async () => {
    expect((await asked("SELECT * FROM teas WHERE id = 9")).first.text).toBe(
      "The query gave no rows.",
    );
  });

  it("shows 500 rows, counts some thousands, and marks further ones", async () => {
    const many = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`;
    const some = (await asked(many(700))).first;
    expect(some.text).toMatch(/\| 500 \|\n\(\+200 rows\)$/);
    expect(some.data?.rows).toHaveLength(500);
    expect((await asked(many(60_000))).first.text).toMatch(/\(\+9500 rows, and more\)$/);
  });

  it("cuts long cells, and further rows", async () => {
    const { first } = await asked(`SELECT '${"x".repeat(500)}' AS a`);
    expect(first.text).toContain(`| ${"x".repeat(199)}… |`);
    const wide = (
      await asked(
        `SELECT a.name, '${"y".repeat(190)}' AS b FROM teas a, teas b, teas c, teas d, teas e, teas f, teas g, teas h`,
      )
    ).first;
    expect(wide.text?.length).toBeLessThan(16_100);
    expect(wide.text).toMatch(/\n\(\+\d+ rows\)$/);
  });

  it("names columns of one name apart in its data", async () => {
    const { first } = await asked("SELECT 1 AS a, 2 AS a");
    expect(Object.values(first.data?.rows?.[0] ?? {})).toEqual([1, 2]);
  });

  it("lists tables and columns in its description, read once", async () => {
    const { description, statements } = await asked(["SELECT 1", "SELECT 2"]);
    expect(description).toContain(
      "\nTables:\ncheap(name TEXT)\nteas(id INTEGER, name TEXT, price REAL, leaf BLOB)",
    );
    expect(
      statements.filter((sql) => sql.includes("pragma_table_list") && !sql.startsWith("EXPLAIN")),
    ).toHaveLength(1);
    const one = await asked("SELECT 1", { dbUri, tables: ["teas"] });
    expect(one.description).toMatch(/Tables:\nteas\([^\n]*\)$/);
    const kept = await asked("SELECT 1", { dbUri, tables: [{ table_name: "cheap" }], columns: {} });
    expect(kept.description).toMatch(/Tables:\ncheap\([^\n]*\)$/);
    expect((await asked("SELECT 1", { dbUri, tables: [] })).description).toBe(description);
  });

  it("works without knowing its tables, and warns of it", async () => {
    const { description, first } = await asked("SELECT 1 AS a", { dbUri: "d1:NOWHERE" });
    expect(description).not.toContain("Tables");
    expect(first).toEqual({
      code: "invalid_definition",
      message: "there is no D1 database bound as NOWHERE in wrangler.toml",
    });
  });

  it("bounds the list of tables", async () => {
    const sqlite = new DatabaseSync(":memory:");
    for (let table = 0; table < 60; table++)
      sqlite.exec(`CREATE TABLE t${String(table).padStart(2, "0")} (a INT)`);
    sqlite.exec(
      `CREATE TABLE a_wide (${Array.from({ length: 300 }, (_, index) => `column_${index} TEXT`).join(", ")})`,
    );
    const { description } = await asked("SELECT 1", { dbUri }, { sqlite });
    const lines = description.split("\n");
    expect(lines.at(-1)).toBe("(+11 tables)");
    expect(lines[2]).toMatch(/^a_wide\(column_0 TEXT.*…\)$/);
    expect(description.length).toBeLessThan(4_300);
  });

  it("reads its address from a variable", async () => {
    const { first } = await asked(
      "SELECT 1 AS a",
      { dbUri: { env: "SHOP_URL" } },
      { variables: { SHOP_URL: dbUri } },
    );
    expect(first.text).toContain("| 1 |");
  });

  it.each([
    ["sqlite:///shop.db", "use a D1 database, as d1:BINDING"],
    ["oracle://a:secret@b/c", "expected d1:BINDING"],
    ["nonsense", "expected d1:BINDING"],
    ["d1:", "expected d1:BINDING"],
    ["postgres://", "expected d1:BINDING"],
  ])("refuses the address %s", (address, message) => {
    const make = () => nl2sql({ dbUri: address });
    expect(make).toThrow(message);
    expect(make).not.toThrow("secret");
  });

  it("reports a binding of another kind", async () => {
    const { first } = await asked("SELECT 1", { dbUri: "hyperdrive:SHOP" });
    expect(first.message).toBe("there is no Hyperdrive bound as SHOP in wrangler.toml");
  });

  it("SQX2: returns the database's words when it does not accept a statement", async () => {
    const { first } = await asked("SELECT a FROM nowhere");
    expect(first).toEqual({
      code: "bad_request",
      message: "The database did not accept the statement: no such table: nowhere",
    });
  });
});

describe("SQD1: reading from D1", () => {
  it.each([
    "DELETE FROM teas",
    "SELECT 1; DELETE FROM teas",
    "SELECT 1;\nDELETE FROM teas --",
    "PRAGMA writable_schema=1",
    "SELECT load_extension('x')",
  ])("SQD1: %s is not run", async (sql) => {
    const { first, sqlite, statements } = await asked(sql);
    expect(first.code).toBe("refused");
    expect(sqlite.prepare("SELECT count(*) AS count FROM teas").get()).toEqual({ count: 2 });
    expect(
      statements.filter((each) => each.includes("teas") && !each.includes("pragma_table_list")),
    ).toEqual([]);
  });

  it("asks the database for a statement's effect, and runs no writing one (S5)", async () => {
    const { first, statements } = await asked("SELECT count(*) FROM teas");
    expect(first.text).toContain("| 2 |");
    const own = statements.filter((each) => each.includes("count(*)"));
    expect(own.map((each) => each.startsWith("EXPLAIN"))).toEqual([true, false]);
  });
});

describe("SQD2: large tables", () => {
  it("SQD2: are not read whole", async () => {
    const { statements } = await asked("SELECT * FROM teas");
    expect(statements.at(-1)).toBe("SELECT * FROM (\nSELECT * FROM teas\n) LIMIT 10001");
  });

  it("may have a comment behind the statement", async () => {
    expect((await asked("SELECT 1 AS a -- that is all")).first.text).toContain("| 1 |");
  });
});

describe("SQX1: writing statements", () => {
  const insert = "INSERT INTO teas (name) VALUES ('Oolong')";

  it("SQX1: ask first when they are allowed, and report the number of changed rows (S6)", async () => {
    const { first, sqlite } = await asked(insert, { dbUri, allowDml: true });
    expect(first).toEqual({ text: '{"changed":1}', data: { changed: 1 } });
    expect(sqlite.prepare("SELECT count(*) AS count FROM teas").get()).toEqual({ count: 3 });
    const made = subject({ dbUri, allowDml: true }, []);
    const asks: boolean[] = [];
    await new LocalRun(
      { kind: "crew", name: "sql", inputs: {} },
      {
        tasks: [],
        run: async (scope) => {
          const tool = await opened({ dbUri, allowDml: true }, scope);
          expect(tool.actsOutside).toBe(true);
          const { needsApproval } = tool;
          for (const sql of [insert, "SELECT 1", "DROP TABLE teas"])
            asks.push((needsApproval as (input: JsonObject) => boolean)({ sql_query: sql }));
          return null;
        },
      },
      { services: made.services ?? {} },
    ).output();
    expect(asks).toEqual([true, false, false]);
  });

  it("are allowed by a variable of the deployment, too", async () => {
    const variables = { CREWAI_NL2SQL_ALLOW_DML: "true" };
    expect((await asked(insert, { dbUri }, { variables })).first.data).toEqual({ changed: 1 });
    expect(
      (await asked(insert, { dbUri }, { variables: { CREWAI_NL2SQL_ALLOW_DML: "false" } })).first
        .code,
    ).toBe("refused");
  });

  it("are rows alone", async () => {
    const { first } = await asked("DROP TABLE teas", { dbUri, allowDml: true });
    expect(first).toMatchObject({
      code: "refused",
      message: "This tool reads and writes rows: DROP is not allowed.",
    });
  });

  it("run one after the other, and a failure does not stop the rest", async () => {
    const { outcomes, sqlite } = await asked([insert, "INSERT INTO nowhere VALUES (1)", insert], {
      dbUri,
      allowDml: true,
    });
    expect(outcomes.map(({ code }) => code)).toEqual([undefined, "bad_request", undefined]);
    expect(sqlite.prepare("SELECT count(*) AS count FROM teas").get()).toEqual({ count: 4 });
  });

  it("are not repeated after a crash: the model reads of an unknown outcome (S6)", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      subject({ dbUri, allowDml: true }, [insert]),
    );
    const codeOf = (output: unknown): string | undefined =>
      (output as { outcomes: Told[] }).outcomes[0]?.code;
    expect(codeOf(whole.run.output)).toBeUndefined();
    const codes = new Set<string | undefined>();
    for (const { run, calls } of cut) {
      expect(calls.filter((sql) => sql === insert).length).toBeLessThanOrEqual(1);
      codes.add(codeOf(run.output));
    }
    expect(codes).toEqual(new Set([undefined, "outcome_unknown"]));
  });
});

describe("SingleStoreSearchTool", () => {
  const services = { variables: {} };
  const search = async (sql: string, options: Parameters<typeof singleStoreSearch>[0] = {}) => {
    const tool = singleStoreSearch(options);
    let outcome: ToolCallOutcome | undefined;
    await new LocalRun(
      { kind: "crew", name: "sql", inputs: {} },
      {
        tasks: [],
        run: async (scope) => {
          outcome = await callTool(scope, {
            tool,
            input: { search_query: sql },
            caller: { agentRole: "Analyst" },
          });
          return null;
        },
      },
      { services },
    ).output();
    return outcome?.kind === "failure" ? outcome.failure : undefined;
  };

  it("runs only SELECT and SHOW, and names its setting", async () => {
    expect(await search("DELETE FROM t")).toMatchObject({ code: "refused" });
    expect(await search("DESCRIBE t")).toMatchObject({
      message: "This tool runs SELECT and SHOW alone.",
    });
    expect(await search("SELECT 1")).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("SINGLESTOREDB_URL"),
    });
  });

  it("keeps its password secret when the database cannot be reached", async () => {
    const failure = await search("SELECT 1", {
      host: "127.0.0.1",
      port: 1,
      user: "u",
      password: "s3cret-pass",
    });
    expect(failure).toMatchObject({ code: "unavailable" });
    expect(failure?.message).not.toContain("s3cret-pass");
  });
});
