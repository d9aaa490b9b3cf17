import { describe, expect, it } from "vitest";
import { Agent, Crew, file, Task } from "../../../../../src/index.ts";
import { scriptedModel } from "../../../../../src/testing/index.ts";
import { toolCatalog } from "../../../../../src/entry/tool-catalog.ts";
import {
  describeTable,
  joinTables,
  queryTable,
  tableTools,
} from "../../../../../src/entry/tables.ts";
import type { JsonObject } from "../../../../../src/base/json.ts";
import type { Tool } from "../../../../../src/tools/tool.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { workspaceWith } from "../../../../support/document-world.ts";
import { bytesOf } from "../../../../support/table-world.ts";

const FILES = {
  "data/sales.csv": "region,amount\nnorth,10\nsouth,5\nnorth,2.5\n",
  "regions.csv": "region,boss\nnorth,Ann\nsouth,Bob\n",
};

const ask = async (tool: Tool, input: JsonObject) =>
  callOf(tool, input, { services: { files: await workspaceWith(FILES) } });

describe("tools for tables", () => {
  it("describe a file of the workspace", async () => {
    const { text, data } = await ask(describeTable(), { file: "data/sales.csv" });
    expect(text).toBe(
      `Table sales: data/sales.csv, 3 rows in rows 2 to 4, header in row 1. The column _row has the row in the file.
| column | in the file | type | NULL | different | from … to | values |
| --- | --- | --- | --- | --- | --- | --- |
| region | region (A) | text | 0 | 2 | north … south | north, south |
| amount | amount (B) | number | 0 | 3 | 2.5 … 10 | 10, 5, 2.5 |`,
    );
    expect(data).toMatchObject({ tables: [{ table: "sales", rows: 3 }] });
  });

  it("answer with the cells of each row, and cite the file", async () => {
    const sql = "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region";
    const { text, data, extras } = await ask(queryTable(), { file: "data/sales.csv", sql });
    expect(text).toBe(
      `| region | total | cells of data/sales.csv |
| --- | --- | --- |
| north | 12.5 | A2:B4 (2 rows) |
| south | 5 | A3:B3 |

Read: data/sales.csv / A2:B4 (3 rows)`,
    );
    expect(data).toMatchObject({
      rows: [
        { region: "north", total: 12.5 },
        { region: "south", total: 5 },
      ],
      citations: [[{ file: "data/sales.csv", cells: "A2:B4", rows: 2 }], [{ cells: "A3:B3" }]],
      more: 0,
    });
    expect(extras.sources).toEqual([
      { url: "data/sales.csv", title: "data/sales.csv / A2:B4 (2 rows)" },
      { url: "data/sales.csv", title: "data/sales.csv / A3:B3" },
    ]);
    expect(extras.untrusted).toEqual(["data/sales.csv"]);
  });

  it("join files, and cite both", async () => {
    const { text } = await ask(joinTables(), {
      files: ["data/sales.csv", "regions.csv"],
      sql: "SELECT r.boss, sum(s.amount) AS total FROM sales s JOIN regions r ON s.region = r.region GROUP BY r.boss ORDER BY 1",
    });
    expect(text).toContain(
      "| boss | total | cells of data/sales.csv | cells of regions.csv |\n| --- | --- | --- | --- |\n| Ann | 12.5 | A2:B4 (2 rows) | A2:B2 |",
    );
  });

  it("refuse files and statements with a reason for the model", async () => {
    const missing = await ask(queryTable(), { file: "no.csv", sql: "SELECT 1" });
    expect(missing.failure).toMatchObject({ code: "not_found" });
    const outside = await ask(queryTable(), { file: "../x.csv", sql: "SELECT 1" });
    expect(outside.failure).toMatchObject({ code: "refused" });
    const other = await ask(queryTable(), { file: "runs/run-2/x.csv", sql: "SELECT 1" });
    expect(other.failure).toMatchObject({ code: "not_found" });
    const write = await ask(queryTable(), { file: "regions.csv", sql: "DELETE FROM regions" });
    expect(write.failure).toMatchObject({ code: "refused" });
    const column = await ask(queryTable(), { file: "regions.csv", sql: "SELECT x FROM regions" });
    expect(column.failure?.message).toContain("Tables: regions(region, boss)");
    const sheet = await ask(describeTable(), { file: "regions.csv", sheet: "Q9" });
    expect(sheet.failure?.message).toContain("Its tables: regions");
  });

  it("fix their file by an option", async () => {
    const { text } = await ask(queryTable({ file: "regions.csv" }), {
      sql: "SELECT boss FROM regions WHERE region = 'south'",
    });
    expect(text).toContain("| Bob | A3:B3 |");
  });

  it("are known to definitions by name", () => {
    const catalog = toolCatalog();
    for (const name of ["DescribeTableTool", "query_table", "join_tables"]) {
      const made = catalog.make({ name, options: {}, fromData: true, asksNobody: false });
      expect(made).toMatchObject({ tool: { safeName: expect.stringMatching(/_tables?$/) } });
    }
  });

  it("find the files of a kickoff by their keys", async () => {
    const sql = "SELECT sum(amount) AS s FROM sales";
    const llm = scriptedModel([
      { toolCalls: [{ name: "query_table", arguments: { file: "numbers", sql } }] },
      "17.5",
    ]);
    const agent = new Agent({
      role: "Analyst",
      goal: "g",
      backstory: "b",
      llm,
      tools: tableTools(),
    });
    const task = new Task({ description: "Sum", expectedOutput: "A number", agent });
    await new Crew({ tasks: [task] }).kickoff({
      inputFiles: { numbers: file(bytesOf(FILES["data/sales.csv"]), { name: "sales.csv" }) },
    });
    const said = JSON.stringify(llm.calls.at(-1)?.messages);
    expect(said).toContain("| 17.5 | B2:B4 (3 rows) |");
  });
});
