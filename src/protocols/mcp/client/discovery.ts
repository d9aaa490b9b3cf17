// Discovery of a server's offer: requested once by a run, and the same in every replay.
import type { Tool as WireTool } from "@modelcontextprotocol/client";
import { cleanText } from "../../../base/clean-text.ts";
import { cut } from "../../../base/cut.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { checkJsonSchema, validateJsonSchema } from "../../../base/json-schema.ts";
import { toParameters } from "../../../tools/json-schema.ts";
import { sanitizeToolName, uniqueToolNames } from "../../../wire/tool-name.ts";
import { REQUEST, type McpConnection, type Route } from "./connection.ts";
import { SCHEMA_FAULT } from "./repairing-transport.ts";
import type { McpServerSettings } from "./settings.ts";
import { admits } from "./tool-filter.ts";
import { exposedName, serverNameOf } from "./tool-names.ts";

/** A tool of a server. */
export type FoundTool = {
  /** Name at the server. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Claims of the server. They are trusted only where a false claim costs no more than a second call. */
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  /** Neither read-only nor declared harmless. */
  readonly destructive: boolean;
};

/** A server's answer to discovery. */
export type FoundServer = {
  readonly route: Route;
  readonly tools: readonly FoundTool[];
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
  /** Omissions and changes, as texts for people. */
  readonly warnings: readonly string[];
};

/** A tool for an agent. */
export type OfferedTool = FoundTool & {
  /** Its name for models, unique among the server's. */
  readonly exposed: string;
};

/** Record of a server in one run. */
export type Discovery = Omit<FoundServer, "tools"> & {
  readonly tools: readonly OfferedTool[];
  readonly durationMs: number;
};

const MAX_DESCRIPTION = 1_024;
const MAX_SCHEMA_LENGTH = 32_768;
/** Maximum number of tools in one request to a model. */
const MAX_TOOLS = 128;
const ANY_INPUT: JsonObject = { type: "object", properties: {}, additionalProperties: true };

/** Asks a server for its offer. */
export async function askWhatThereIs({ client, route }: McpConnection): Promise<FoundServer> {
  const { tools } = await client.listTools(undefined, { ...REQUEST, cacheMode: "bypass" });
  const capabilities = client.getServerCapabilities() ?? {};
  const warnings: string[] = [];
  return {
    route,
    tools: tools.map((tool) => foundTool(tool, warnings)),
    hasResources: capabilities.resources !== undefined,
    hasPrompts: capabilities.prompts !== undefined,
    warnings,
  };
}

/**
 * Returns the tools for one agent, with their names for models. Fails with `invalid_definition` for more tools than
 * models accept.
 */
export async function offeredTools(
  found: FoundServer,
  settings: McpServerSettings,
  agent: string,
): Promise<readonly OfferedTool[]> {
  const { toolFilter, onlyTool } = settings;
  const serverName = settings.name ?? serverNameOf(settings.url);
  const wanted = onlyTool === undefined ? undefined : sanitizeToolName(onlyTool);
  const admitted: FoundTool[] = [];
  for (const tool of found.tools) {
    const { description, readOnly, destructive } = tool;
    const name = sanitizeToolName(tool.name);
    if (wanted !== undefined && name !== wanted) continue;
    const seen = { name, description, readOnly, destructive };
    if (await admits(toolFilter, seen, { agent, serverName })) admitted.push(tool);
  }
  if (admitted.length > MAX_TOOLS)
    throw new EngineError(
      "invalid_definition",
      `MCP server ${serverName} offers ${admitted.length} tools, and models take ${MAX_TOOLS}: name those that the agent needs in toolFilter: { allow: […] }`,
    );
  const names = uniqueToolNames(admitted.map(({ name }) => exposedName(serverName, name)));
  return admitted.map((tool, index) => ({ ...tool, exposed: names[index] ?? tool.name }));
}

function foundTool(tool: WireTool, warnings: string[]): FoundTool {
  const { name, title, description = "", annotations = {}, _meta: meta } = tool;
  const readOnly = annotations.readOnlyHint === true;
  const schema = tool.inputSchema as JsonObject;
  const repaired = meta?.[SCHEMA_FAULT];
  const fault = typeof repaired === "string" ? repaired : faultOf(schema);
  if (fault !== undefined)
    warnings.push(`the input schema of ${name} ${fault}: it takes any fields`);
  const text = cleanText(description).trim() === "" ? (title ?? `The tool ${name}.`) : description;
  return {
    name,
    description: cut(cleanText(text), MAX_DESCRIPTION),
    parameters: fault === undefined ? toParameters(schema) : ANY_INPUT,
    readOnly,
    idempotent: annotations.idempotentHint === true,
    destructive: !readOnly && annotations.destructiveHint !== false,
  };
}

/** Returns the fault of a schema. */
function faultOf(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
    return `is longer than ${MAX_SCHEMA_LENGTH} characters`;
  if (namesElsewhere(schema)) return "refers to another document, which is not fetched";
  try {
    checkJsonSchema(schema);
    validateJsonSchema(toParameters(schema), {});
    return undefined;
  } catch (error) {
    return `cannot be used (${errorMessage(error)})`;
  }
}

function namesElsewhere(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(namesElsewhere);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, each]) =>
    (key === "$ref" || key === "$dynamicRef") && typeof each === "string"
      ? !each.startsWith("#")
      : namesElsewhere(each),
  );
}
