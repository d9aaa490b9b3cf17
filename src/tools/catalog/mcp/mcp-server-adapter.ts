// CrewAI's adapter of MCP servers: the data form of `MCPServerAdapter(params, *names, connect_timeout=30)`.
//
//   MSA1. It equals `mcps` with a filter by names: its servers follow the same rules and are called by the run's own
//         client.
//   MSA2. Stored definitions may not contain keys here, as only keys in `mcps` are sealed.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../../../base/json.ts";
import { isFromData, markAsData } from "../../../llm/definition-rules.ts";
import { readServerSettings } from "../../../protocols/mcp/client/settings.ts";
import { shownUrl } from "../../../protocols/mcp/client/tool-names.ts";
import { entryOf } from "../base/catalog-tool.ts";
import type { CatalogToolSource, MadeTool } from "../base/entry.ts";
import { serverSource } from "./server-source.ts";

const CLASS = "MCPServerAdapter";

const settings = z.record(z.string(), z.json());
const options = z.object({
  serverparams: z
    .union([settings, z.array(settings).min(1)])
    .describe("The settings of a server, or of several"),
  toolNames: z.array(z.string().min(1)).describe("The tools that agents get").optional(),
  connectTimeout: z.number().positive().describe("In seconds").optional(),
});

const entry = entryOf(
  {
    className: CLASS,
    displayName: "Tools of an MCP server",
    group: "automation",
    service: "MCP",
    effectClass: "X",
    description: "Gives an agent the tools of servers of the Model Context Protocol.",
    input: () => z.object({}),
    options: () => options,
  },
  (written) => make(written),
);

/**
 * Tools of MCP servers: `{ serverparams: { url }, toolNames: ["search"] }`. In code, `MCPServerAdapter` of edgecrew/mcp
 * needs no client.
 */
export const mcpServerAdapter: CatalogToolSource<typeof options> = Object.assign(
  (written: Parameters<CatalogToolSource<typeof options>>[0] = {}) =>
    entry.make(written).tool as never,
  { entry },
);

/** Option names for the settings of servers. */
const PARAMS: ReadonlySet<string> = new Set(["serverparams", "serverParams", "params", "servers"]);

function make(written: Readonly<Record<string, unknown>>): MadeTool {
  const own: Record<string, unknown> = {};
  let params: unknown;
  let names: unknown;
  for (const [spelled, value] of Object.entries(written)) {
    const name = camelCase(spelled);
    if (PARAMS.has(name)) params = value;
    else if (name === "toolNames") names = value;
    else if (name !== "verbose") own[spelled] = value;
  }
  const listed = params === undefined ? [{}] : Array.isArray(params) ? params : [params];
  const servers = listed.map((each: unknown) => serverOf(each, { own, names }));
  if (servers.length === 0) throw invalidDefinition(`${CLASS}.serverparams: expected a server`);
  if (isFromData(written)) for (const server of servers) asData(server);
  const named = servers.map((server) => {
    const { name, url } = readServerSettings(server);
    return name ?? shownUrl(url).replace(/^https?:\/\//, "");
  });
  return { tool: serverSource(CLASS, { name: named.join(","), servers }), warnings: [] };
}

/** Merges settings beside the servers into each server. */
function serverOf(
  params: unknown,
  { own, names }: { readonly own: Readonly<Record<string, unknown>>; readonly names: unknown },
): JsonObject {
  if (!isJsonObject(params))
    throw invalidDefinition(
      `${CLASS}.serverparams: expected settings such as { url: "https://…" }, got ${preview(params)}`,
    );
  return {
    ...own,
    ...params,
    ...(names === undefined ? undefined : { toolFilter: names }),
  } as JsonObject;
}

function asData(server: JsonObject): void {
  for (const [field, value] of Object.entries(server)) {
    const isSecret = ["headers", "auth"].includes(camelCase(field));
    if (isSecret && holdsText(value))
      throw invalidDefinition(
        `${CLASS}.${field}: a stored definition holds no secret here: give { "env": "NAME" }, or name the server in \`mcps\`, whose keys are sealed`,
      );
  }
  markAsData(server);
}

/** True if a key is written out, without a reference to a variable. */
function holdsText(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([name, each]) => !["env", "secret", "scopes", "issuer"].includes(name) && holdsText(each),
  );
}
