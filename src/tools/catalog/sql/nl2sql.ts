import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import type { JsonObject } from "../../../base/json.ts";
import { RunScope } from "../../../events/run-scope.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { ToolSource } from "../../tool-source.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { RunSpec } from "../base/tool-spec.ts";
import type { CatalogToolSource, MadeTool } from "../base/entry.ts";
import { referenceOf } from "../base/read-options.ts";
import { connectionOf, type Connection } from "./connection.ts";
import { describedTool } from "./described-tool.ts";
import { runStatement } from "./run-statement.ts";
import { anyStatement, readStatement } from "./sql-guard.ts";

const DML_VARIABLE = "CREWAI_NL2SQL_ALLOW_DML";
const FIELD = "NL2SQLTool.db_uri";

const input = () =>
  z.object({ sql_query: z.string().min(1).max(100_000).describe("One SQL statement") });

const options = () =>
  z.object({
    /** `d1:BINDING`, `hyperdrive:BINDING`, `postgres://…`, `mysql://…`. */
    dbUri: z.string().min(1),
    /** Tables listed in its description, as names or in CrewAI's form. @default all */
    tables: z.array(z.union([z.string(), z.looseObject({ table_name: z.string() })])).optional(),
    columns: z.unknown().optional(),
    /** Lets it write rows. A person approves each writing statement. */
    allowDml: z.boolean().default(false),
  });

const spec: RunSpec<ReturnType<typeof input>, ReturnType<typeof options>> = {
  className: "NL2SQLTool",
  displayName: "NL2SQLTool",
  group: "databases",
  service: "SQL",
  effectClass: "R",
  // Writes are separate steps, which no crash repeats.
  effect: "idempotent",
  cache: false,
  description: "Runs one SQL statement in the database and returns its rows as a table.",
  input,
  options,
  env: [
    {
      name: DML_VARIABLE,
      description: "true lets NL2SQLTool write rows",
      required: false,
      isPlain: true,
    },
  ],
  hostOptions: ["dbUri"],
  codeOptions: ["allowDml", "needsApproval"],
  maxChars: 17_000,
  run: async ({ sql_query: sql }, { dbUri, allowDml }, io) => {
    const connection = connectionOf(dbUri, FIELD);
    const dialect = connection.dialectIn(io.services);
    const writes = allowDml || isTrue(io.value(DML_VARIABLE));
    return runStatement(io, connection, (writes ? anyStatement : readStatement)(sql, dialect));
  },
};

const entry = entryOf(spec, (settings): MadeTool => {
  const read = settingsOf(settings);
  const literal =
    typeof read["dbUri"] === "string" ? connectionOf(read["dbUri"], FIELD) : undefined;
  const reference = referenceOf(read["dbUri"]);
  const connectionIn = ({ variables }: RunServices): Connection | undefined => {
    const address = reference === undefined ? undefined : variables?.[reference];
    return literal ?? (address === undefined ? undefined : connectionOf(address, FIELD));
  };
  const needsApproval = (call: JsonObject): boolean => {
    const services = RunScope.current()?.services ?? {};
    const mayWrite = read["allowDml"] === true || isTrue(services.variables?.[DML_VARIABLE]);
    return mayWrite && isWrite(call["sql_query"], connectionIn(services), services);
  };
  const { tool, warnings } = catalogTool(spec).entry.make({ needsApproval, ...settings });
  const listed = options().shape.tables.safeParse(read["tables"]).data ?? [];
  const names = listed.map((each) => (typeof each === "string" ? each : each.table_name));
  const tables = names.length === 0 ? undefined : names;
  const made: Tool = {
    ...(tool as Tool),
    ...(read["allowDml"] === true ? { actsOutside: true } : undefined),
  };
  return { tool: describedTool(made, { connectionIn, tables }), warnings };
});

/** Database tool for agents that write SQL. */
export const nl2sql: CatalogToolSource<ReturnType<typeof options>> = Object.assign(
  (settings = {}) => entry.make(settings).tool as ToolSource,
  { entry },
);

/** True for a statement that writes and would be run, so a person must approve it. */
function isWrite(sql: unknown, connection: Connection | undefined, services: RunServices): boolean {
  if (typeof sql !== "string" || connection === undefined) return false;
  try {
    return !anyStatement(sql, connection.dialectIn(services)).isRead;
  } catch {
    return false; // the call itself is rejected
  }
}

function settingsOf(
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [camelCase(name), value]),
  );
}

function isTrue(value: string | undefined): boolean {
  return /^\s*(?:true|1|yes|on)\s*$/i.test(value ?? "");
}
