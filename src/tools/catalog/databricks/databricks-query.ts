import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { httpsAddress } from "../base/https-address.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readOnlyStatement } from "../sql/read-only-statement.ts";
import { resultTable, rowObjects } from "../sql/result-table.ts";

const SERVICE = "Databricks";
/** Functions that run code or access the network. */
const ACTING = /\b(?:reflect|try_reflect|java_method|http_request|ai_query)\s*\(/i;

const answer = z.looseObject({
  statement_id: z.string(),
  status: z.looseObject({
    state: z.string(),
    error: z.looseObject({ message: z.string().nullish() }).nullish(),
  }),
  manifest: z
    .looseObject({
      schema: z.looseObject({ columns: z.array(z.looseObject({ name: z.string() })).default([]) }),
      total_row_count: z.number().nullish(),
      truncated: z.boolean().nullish(),
    })
    .nullish(),
  result: z.looseObject({ data_array: z.array(z.array(z.json())).nullish() }).nullish(),
});
type Answer = z.output<typeof answer>;

/** Reads tables of a SQL warehouse of Databricks. */
export const databricksQuery = catalogTool({
  className: "DatabricksQueryTool",
  displayName: "Databricks SQL Query",
  group: "databases",
  service: SERVICE,
  effectClass: "R",
  description: "Reads tables of Databricks by one SQL statement, and gives the rows.",
  input: () =>
    z.object({
      query: z.string().min(1).max(100_000).describe("The statement, such as SELECT … LIMIT 100"),
      catalog: z.string().optional(),
      db_schema: z.string().optional(),
      warehouse_id: z.string().optional(),
      row_limit: z.int().min(1).max(10_000).default(1000),
    }),
  options: () =>
    z.object({
      defaultCatalog: z.string().optional(),
      defaultSchema: z.string().optional(),
      defaultWarehouseId: z.string().optional(),
    }),
  env: [
    {
      name: "DATABRICKS_HOST",
      description: "the host of the Databricks workspace",
      isPlain: true,
    },
    {
      name: "DATABRICKS_TOKEN",
      description: "a token of the Databricks workspace",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "token",
    },
  ],
  hosts: (_, valueOf) => [httpsAddress(valueOf("DATABRICKS_HOST") ?? "").host],
  maxChars: 16_000,
  timeoutMs: 60_000,
  run: async (input, { defaultCatalog, defaultSchema, defaultWarehouseId }, io) => {
    const { warehouse_id: warehouse = defaultWarehouseId, row_limit } = input;
    const statement = readOnlyStatement(input.query, ["mysql"]);
    if (ACTING.test(statement))
      throw serviceFailure({ code: "refused", message: "This tool calls no functions that act." });
    if (warehouse === undefined)
      throw serviceFailure({
        code: "bad_request",
        message: "Name the SQL warehouse: warehouse_id, or the option default_warehouse_id.",
      });
    const place = `${httpsAddress(io.value("DATABRICKS_HOST") ?? "").origin}/api/2.0/sql/statements`;
    let ended: Answer | undefined;
    const id = await io.poll<string>({
      start: async () => {
        const { body } = await io.send({
          url: place,
          body: {
            statement,
            warehouse_id: warehouse,
            catalog: input.catalog ?? defaultCatalog,
            schema: input.db_schema ?? defaultSchema,
            row_limit,
            wait_timeout: "30s",
            on_wait_timeout: "CONTINUE",
            format: "JSON_ARRAY",
            disposition: "INLINE",
          },
        });
        return answerOf(body).statement_id;
      },
      check: async (statementId) => {
        const state = await statementIn(io, `${place}/${statementId}`);
        ended = state;
        const { state: name, error } = state.status;
        if (name === "SUCCEEDED") return { done: statementId };
        if (name === "PENDING" || name === "RUNNING") return "running";
        return { failed: error?.message ?? `it is ${name.toLowerCase()}` };
      },
      cancel: (statementId) => ({ method: "POST", url: `${place}/${statementId}/cancel` }),
      everyMs: [100, 1000, 2000, 3000, 5000, 10_000],
      untilMs: 300_000,
    });
    const { manifest, result } = ended ?? (await statementIn(io, `${place}/${id}`));
    const rows = result?.data_array ?? [];
    const read = {
      columns: manifest?.schema.columns.map(({ name }) => name) ?? [],
      rows,
      more: Math.max(0, (manifest?.total_row_count ?? rows.length) - rows.length),
      isOpen: manifest?.truncated === true,
    };
    return toolResult({ text: resultTable(read), data: { rows: rowObjects(read) } });
  },
});

async function statementIn(io: ToolIo, url: string): Promise<Answer> {
  return answerOf((await io.send({ url, maxBytes: 26 << 20 })).body);
}

function answerOf(body: JsonValue): Answer {
  const { data } = answer.safeParse(body);
  if (data === undefined) throw badResponse(SERVICE);
  return data;
}
