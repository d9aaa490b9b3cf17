import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { ToolRequest } from "../base/request.ts";
import { badResponse } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readOnlyStatement } from "../sql/read-only-statement.ts";
import { resultTable, rowObjects } from "../sql/result-table.ts";
import { keyPairToken } from "./key-pair-token.ts";

const SERVICE = "Snowflake";
const NO_PASSWORD =
  "passwords do not work with Snowflake's SQL API: set SNOWFLAKE_TOKEN, or private_key (PKCS#8 PEM)";
const NO_PATH = "a Worker has no files to read keys from: put the key into SNOWFLAKE_PRIVATE_KEY";

const begun = z.looseObject({ statementHandle: z.string() });
const answer = z.looseObject({
  data: z.array(z.array(z.json())).optional(),
  resultSetMetaData: z
    .looseObject({
      numRows: z.number().optional(),
      rowType: z.array(z.looseObject({ name: z.string() })),
    })
    .optional(),
});

const options = () =>
  z.object({
    account: z.string().regex(/^[\w-]+(?:\.[\w-]+)*$/),
    user: z.string().optional(),
    warehouse: z.string().optional(),
    database: z.string().optional(),
    snowflakeSchema: z.string().optional(),
    role: z.string().optional(),
    tokenType: z.enum(["OAUTH", "PROGRAMMATIC_ACCESS_TOKEN"]).optional(),
    password: refused(NO_PASSWORD),
    privateKeyPath: refused(NO_PATH),
  });
type Options = z.output<ReturnType<typeof options>>;

/** Reads tables of Snowflake. */
export const snowflakeSearch = catalogTool({
  className: "SnowflakeSearchTool",
  displayName: "Snowflake Database Search",
  group: "databases",
  service: SERVICE,
  effectClass: "R",
  description: "Reads tables of Snowflake by one SQL statement, and gives the rows.",
  input: () =>
    z.object({
      query: z.string().min(1).max(100_000).describe("The statement, such as SELECT … LIMIT 100"),
      database: z.string().optional(),
      snowflake_schema: z.string().optional(),
      timeout: z.int().min(1).max(3600).default(300).describe("Seconds for the statement"),
    }),
  options,
  optionGroups: ["config"],
  env: [
    {
      name: "SNOWFLAKE_TOKEN",
      description: "an OAuth or programmatic access token of Snowflake",
      oneOf: "snowflake",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "token",
    },
    {
      name: "SNOWFLAKE_PRIVATE_KEY",
      description: "a private key of the user, PKCS#8 in PEM",
      oneOf: "snowflake",
      option: "privateKey",
    },
  ],
  hosts: ({ account }) => [hostOf(account)],
  maxChars: 16_000,
  // Each call reads the current data.
  cache: false,
  run: async ({ query, timeout, ...input }, settings, io) => {
    const { account, warehouse, role } = settings;
    // Snowflake reads strings like MySQL, and names and dollar quotes like Postgres.
    const statement = readOnlyStatement(query, ["postgres", "mysql"]);
    const place = `https://${hostOf(account)}/api/v2/statements`;
    const requestId = io.context.uuid();
    let ended: JsonValue | undefined;
    const handle = await io.poll<string>({
      start: async () => {
        const { body } = await io.send({
          url: place,
          query: { async: true, requestId, retry: true },
          body: {
            statement,
            timeout,
            database: input.database ?? settings.database,
            schema: input.snowflake_schema ?? settings.snowflakeSchema,
            warehouse,
            role,
          },
          ...signedBy(io, settings),
        });
        const { data } = begun.safeParse(body);
        if (data === undefined) throw badResponse(SERVICE);
        return data.statementHandle;
      },
      check: async (id) => {
        const { status, body } = await io.send({
          url: `${place}/${id}`,
          maxBytes: 26 << 20,
          ...signedBy(io, settings),
        });
        ended = body;
        return status === 202 ? "running" : { done: id };
      },
      everyMs: [500, 1000, 2000, 3000, 5000, 10_000],
      untilMs: (timeout + 30) * 1000,
    });
    ended ??= (
      await io.send({ url: `${place}/${handle}`, maxBytes: 26 << 20, ...signedBy(io, settings) })
    ).body;
    const { data: found } = answer.safeParse(ended);
    if (found === undefined) throw badResponse(SERVICE);
    const { data: rows = [], resultSetMetaData: about } = found;
    const read = {
      columns: about?.rowType.map(({ name }) => name) ?? [],
      rows,
      more: Math.max(0, (about?.numRows ?? rows.length) - rows.length),
      isOpen: false,
    };
    return toolResult({ text: resultTable(read), data: { rows: rowObjects(read) } });
  },
});

/** Creates an unsupported option with the reason. */
function refused(why: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .refine(() => false, why)
    .optional();
}

/** Returns the host name of an account, with hyphens for its underscores. */
function hostOf(account: string): string {
  return `${account.toLowerCase().replaceAll("_", "-")}.snowflakecomputing.com`;
}

/** Returns the authentication headers: with an existing token, or with one signed by the user's key. */
function signedBy(
  io: ToolIo,
  { account, user = "", tokenType }: Options,
): Pick<ToolRequest, "headers" | "sign"> {
  const pem = io.value("SNOWFLAKE_PRIVATE_KEY");
  if (io.value("SNOWFLAKE_TOKEN") !== undefined || pem === undefined)
    return { headers: { "X-Snowflake-Authorization-Token-Type": tokenType } };
  return {
    sign: async ({ nowMs }) => ({
      authorization: `Bearer ${await keyPairToken(pem, { account, user, nowMs })}`,
      "x-snowflake-authorization-token-type": "KEYPAIR_JWT",
    }),
  };
}
