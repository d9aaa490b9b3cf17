// Answers have the shape of the documentation of Databricks' Statement Execution API 2.0.
import { describe, expect, it } from "vitest";
import { databricksQuery } from "../../../../../src/tools/catalog/databricks/databricks-query.ts";
import { openSqlStore } from "../../../../support/run-stores.ts";
import { RunWorld } from "../../../../support/run-world.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const API = "https://dbc-1.cloud.databricks.com/api/2.0/sql/statements";
const ID = "01ed92c5-3583-1f38-b21b-c6773e7c56b3";
const pending = { statement_id: ID, status: { state: "PENDING" } };
const succeeded = {
  statement_id: ID,
  status: { state: "SUCCEEDED" },
  manifest: {
    format: "JSON_ARRAY",
    schema: {
      column_count: 2,
      columns: [
        { name: "tea", type_name: "STRING", position: 0 },
        { name: "grams", type_name: "INT", position: 1 },
      ],
    },
    total_row_count: 3,
    truncated: true,
  },
  result: {
    chunk_index: 0,
    row_count: 2,
    data_array: [
      ["green", "50"],
      ["black", null],
    ],
  },
};
const variables = {
  DATABRICKS_HOST: "dbc-1.cloud.databricks.com",
  DATABRICKS_TOKEN: "dapi0123456",
};
const options = { defaultWarehouseId: "wh1", defaultCatalog: "main" };
const input = { query: "SELECT tea, grams FROM stock;" };

toolContract(databricksQuery, {
  options,
  variables: { DATABRICKS_HOST: "https://dbc-1.cloud.databricks.com/" },
  input: { ...input, db_schema: "shop" },
  success: [Response.json(pending), Response.json(pending), Response.json(succeeded)],
  requests: [
    {
      method: "POST",
      url: API,
      body: {
        statement: "SELECT tea, grams FROM stock",
        warehouse_id: "wh1",
        catalog: "main",
        schema: "shop",
        row_limit: 1000,
        wait_timeout: "30s",
        on_wait_timeout: "CONTINUE",
        format: "JSON_ARRAY",
        disposition: "INLINE",
      },
    },
    { method: "GET", url: `${API}/${ID}` },
    { method: "GET", url: `${API}/${ID}` },
  ],
  text: "| tea | grams |\n| --- | --- |\n| green | 50 |\n| black | NULL |\n(+1 rows, and more)",
  data: {
    rows: [
      { tea: "green", grams: "50" },
      { tea: "black", grams: null },
    ],
  },
});

describe("statements of Databricks", () => {
  it.each([
    ["INSERT INTO t VALUES (1)", /only reads: INSERT is not allowed\.$/],
    ["SELECT 1; DROP TABLE t", /Only one statement/],
    ["SELECT reflect('java.lang.System', 'exit', 0)", /no functions that act/],
    ["SELECT http_request (conn => 'c')", /no functions that act/],
    ["/*! DROP TABLE t */ SELECT 1", /comment that the database runs/],
    ["", /./],
  ])("only read: %s", async (query, message) => {
    const { failure, requests } = await callOf(databricksQuery(options), { query }, { variables });
    expect(failure?.message).toMatch(message);
    expect(requests).toEqual([]);
  });

  it("need a warehouse", async () => {
    const { failure, requests } = await callOf(databricksQuery(), input, { variables });
    expect(failure).toMatchObject({ code: "bad_request", message: /default_warehouse_id/ });
    expect(requests).toEqual([]);
  });

  it("fail with the words of the warehouse", async () => {
    const failed = { status: { state: "FAILED", error: { message: "no such table" } } };
    const { failure } = await callOf(
      databricksQuery(options),
      { ...input, warehouse_id: "wh2" },
      { answers: [Response.json({ ...pending, ...failed })], variables },
    );
    expect(failure).toMatchObject({ code: "failed", message: /no such table/ });
  });

  it("are cancelled with their run (T33)", async () => {
    const answers = (): Response => Response.json(pending);
    const subject = toolSubject(databricksQuery(options), input, { answers, variables });
    const world = new RunWorld(subject.program.run, {
      fixture: openSqlStore(),
      services: subject.services ?? {},
    });
    await world.begin();
    await world.host.cancel();
    await world.rest();
    await world.clock.settle();
    expect(subject.requests.at(-1)).toMatchObject({ method: "POST", url: `${API}/${ID}/cancel` });
  });
});
