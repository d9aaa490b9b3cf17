// Tables of a run's files, in the SQLite of its object.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { RunScope } from "../../src/events/run-scope.ts";
import { workspaceOf } from "../../src/files/workspace.ts";
import { Agent, Crew, Task, tool } from "../../src/index.ts";
import { loadTables } from "../../src/tools/catalog/tables/load-tables.ts";
import { tableDatabase } from "../../src/tools/catalog/tables/table-database.ts";
import { openTables, tableTools } from "../../src/entry/tables.ts";
import { registry } from "./support/crews.ts";
import { killAll, runWithEvictions, runWithKills } from "./support/faults.ts";
import { plays, type Turn } from "./support/models.ts";
import { newId, reaches, runs, start, stepsOf, stubOf, TENANT } from "./support/runs.ts";

const ROWS = 30_000;
const csv = (rows: number) =>
  `id,region,amount\n${Array.from({ length: rows }, (_, id) => `${id},${id % 2 ? "north" : "south"},${id / 4}`).join("\n")}\n`;

const makeSheet = tool({
  name: "make_sheet",
  description: "Writes a sheet",
  input: z.object({}),
  run: async () => {
    const scope = RunScope.current();
    if (scope === undefined) throw new Error("no run");
    await workspaceOf(scope).write("sales.csv", csv(ROWS), "text/csv");
    return "written";
  },
});

const call = (name: string, args: Record<string, string> = {}) => [{ name, arguments: args }];
const query = (sql: string) => call("query_table", { file: "sales.csv", sql });

function crewOf(name: string, ...turns: readonly Turn[]): void {
  const agent = new Agent({
    role: "Analyst",
    goal: "answer",
    backstory: "made for a test",
    llm: plays(...turns),
    tools: [makeSheet, ...tableTools()],
  });
  const task = new Task({ name: "work", description: "Sum", expectedOutput: "A sum", agent });
  Object.assign(registry, { [name]: new Crew({ name, tasks: [task] }) });
}

const SUM =
  "SELECT region, sum(amount) AS total FROM sales WHERE id < 10 GROUP BY region ORDER BY 1";

async function toolTexts(id: string): Promise<string> {
  return JSON.stringify((await stepsOf(id)).map(({ value }) => value ?? null));
}

describe("tables of a run", () => {
  it("are in its object, and go with it", async () => {
    crewOf("tables-sum", call("make_sheet"), query(SUM));
    const id = await start("tables-sum");
    await reaches(id, "completed");
    expect(await toolTexts(id)).toContain("A3:C11 (5 rows)");
    const count = () =>
      runInDurableObject(stubOf(id), (_, { storage }) => [
        ...storage.sql.exec("SELECT count(*) AS n FROM edgecrew_rows_1"),
      ]);
    expect(await count()).toEqual([{ n: ROWS }]);
    await runs.delete(TENANT, id);
    await expect(count()).rejects.toThrow(/no such table/);
  });

  it("survive evictions and kills between all calls, and are loaded once", async () => {
    crewOf(
      "tables-faults",
      call("make_sheet"),
      query(SUM),
      query("SELECT count(*) AS n FROM sales"),
    );
    for (const { run } of [
      await runWithEvictions("tables-faults"),
      await runWithKills("tables-faults"),
    ]) {
      expect(run.status).toBe("completed");
      expect(await toolTexts(run.id)).toContain(String(ROWS));
      const rows = await runInDurableObject(stubOf(run.id), (_, { storage }) => [
        ...storage.sql.exec("SELECT count(*) AS n, count(DISTINCT c1) AS d FROM edgecrew_rows_1"),
      ]);
      expect(rows).toEqual([{ n: ROWS, d: ROWS }]);
    }
  });

  it("TBL1: a load that the platform cuts off continues in the next object", async () => {
    const id = newId("tables-cut");
    const file = { name: "sales.csv", bytes: new TextEncoder().encode(csv(ROWS)) };
    await runInDurableObject(stubOf(id), async (_, { storage }) => {
      const database = tableDatabase(storage);
      let left = 20;
      const dying = {
        ...database,
        transaction: (change: () => void) => {
          if (left-- === 0) throw new Error("cut off");
          database.transaction(change);
        },
      };
      await expect(loadTables(dying, file)).rejects.toThrow("cut off");
    });
    await killAll();
    await runInDurableObject(stubOf(id), async (_, { storage }) => {
      const database = tableDatabase(storage);
      const [[before]] = database.run("SELECT rows FROM edgecrew_tables") as [[number]];
      expect(before).toBeGreaterThan(5_000);
      expect(before).toBeLessThan(ROWS);
      expect(await loadTables(database, file)).toMatchObject([{ rows: ROWS, isComplete: true }]);
      expect(database.run("SELECT count(*), sum(c1) FROM edgecrew_rows_1")).toEqual([
        [ROWS, (ROWS * (ROWS - 1)) / 2],
      ]);
    });
  });

  it("TBG2: statements read no journal of their run", async () => {
    const hostile = [
      "SELECT * FROM run",
      "SELECT * FROM texts",
      "SELECT * FROM commits",
      "SELECT name FROM sqlite_master",
      "SELECT * FROM pragma_table_list",
      "SELECT * FROM _cf_KV",
      "SELECT * FROM edgecrew_rows_1",
      "WITH x AS (SELECT 1 UNION ALL SELECT * FROM x) SELECT * FROM x",
      "DELETE FROM sales",
    ];
    crewOf(
      "tables-hostile",
      call("make_sheet"),
      query("SELECT count(*) FROM sales"),
      ...hostile.map(query),
    );
    const id = await start("tables-hostile");
    await reaches(id, "completed");
    const texts = await toolTexts(id);
    for (const refused of ["beyond those of its files", "recursive WITH", "DELETE is not allowed"])
      expect(texts).toContain(refused);
    expect(texts).not.toContain("CREATE TABLE");
    expect(texts).not.toContain("| record |");
  });

  it("of another tenant's run are not there", async () => {
    crewOf("tables-own", call("make_sheet"), query(SUM));
    const id = await start("tables-own");
    await reaches(id, "completed");
    crewOf("tables-other", query(SUM));
    const other = await start("tables-other", { id, tenant: "globex" });
    await expect.poll(async () => (await runs.get("globex", other)).status).toBe("completed");
    const { items } = await runs.steps("globex", other, { limit: 1000, values: true });
    const texts = JSON.stringify(items);
    expect(texts).toContain("There is no file");
    expect(texts).not.toContain("rows)");
  });
});

describe("SQLite of a Durable Object", () => {
  it("answers 30,000 rows with the types of the file", async () => {
    await runInDurableObject(stubOf(newId("tables-types")), async (_, { storage }) => {
      const tables = openTables(storage);
      await tables.add({ name: "sales.csv", bytes: new TextEncoder().encode(csv(ROWS)) });
      await tables.add({
        name: "b.csv",
        bytes: new TextEncoder().encode("region,boss\nnorth,Ann\nsouth,Bob\n"),
      });
      expect(tables.query("SELECT max(amount) AS m FROM sales")).toMatchObject({
        rows: [[7_499.75]],
        citations: [[{ file: "sales.csv", cells: `C${ROWS + 1}` }]],
      });
      expect(
        tables.query(
          "SELECT boss, count(*) FROM sales s JOIN b ON s.region = b.region GROUP BY boss ORDER BY 1",
        ).rows,
      ).toEqual([
        ["Ann", ROWS / 2],
        ["Bob", ROWS / 2],
      ]);
      expect(() => tables.query("SELECT count(*) FROM sales a, sales b")).toThrow(/million steps/);
      expect(tables.query("SELECT id FROM sales")).toMatchObject({ more: 9_500, isOpen: true });
    });
  });
});
