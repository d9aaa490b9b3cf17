// MCP server called by the model's provider itself, under AG2's name.
//
//   MST1. It is passed to the provider if the model has such a tool and the provider supports all settings. Otherwise
//         the run's own client calls the server. Only our client calls a server named in data.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { EngineError } from "../../../base/error.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import type { JsonObject } from "../../../base/json.ts";
import { toIssues } from "../../../base/zod-issues.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { isFromData, markAsData } from "../../../llm/definition-rules.ts";
import { noteSecret } from "../../../security/known-secrets.ts";
import type { ToolSource } from "../../tool-source.ts";
import { serverSource } from "../mcp/server-source.ts";
import { alone } from "./provider-tools.ts";

const secret = z.union([z.string().min(1), z.strictObject({ env: z.string().min(1) })]);
const names = z.array(z.string().min(1)).min(1).readonly().optional();
const schema = z.strictObject({
  serverUrl: z.url({ protocol: /^https$/ }),
  serverLabel: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,63}$/)
    .default("mcp"),
  description: z.string().optional(),
  authorizationToken: secret.optional(),
  headers: z.record(z.string(), secret).optional(),
  allowedTools: names,
  blockedTools: names,
  needsApproval: z.union([z.boolean(), z.literal("destructive"), names]).optional(),
});

/** Options of `mcpServerTool()`; a token or header may be the name of a variable, `{ env: "NAME" }`. */
export type McpServerToolOptions = z.input<typeof schema>;

/**
 * Creates a source of an MCP server's tools, called by the model's provider if it can. Fails with `invalid_definition`.
 */
export function mcpServerTool(
  input: McpServerToolOptions | Readonly<Record<string, unknown>>,
): ToolSource {
  const written = Object.fromEntries(
    Object.entries(input).map(([spelled, value]) => [camelCase(spelled), value]),
  );
  const parsed = schema.safeParse(written);
  if (!parsed.success) {
    const what = toIssues(parsed.error, written).map(
      ({ path, message }) => `MCPServerTool${path.replaceAll("/", ".")}: ${message}`,
    );
    throw invalidDefinition(what.join("; "));
  }
  const options = parsed.data;
  const fromData = isFromData(input);
  if (fromData) refuseSecrets(options);
  const ours = serverSource("MCPServerTool", {
    name: options.serverLabel,
    servers: [fromData ? markAsData(settingsOf(options)) : settingsOf(options)],
  });
  const { headers, blockedTools, needsApproval = false } = options;
  const isPassable =
    !fromData && headers === undefined && blockedTools === undefined && needsApproval === false;
  return {
    name: options.serverLabel,
    open: async (place, owner) => {
      const { builtinTools = [] } = place.model(owner.llm).capabilities;
      if (!isPassable || !builtinTools.includes("mcp")) return ours.open(place, owner);
      const { serverUrl: url, serverLabel: label, allowedTools, authorizationToken } = options;
      const token =
        authorizationToken === undefined ? undefined : valueOf(authorizationToken, place);
      const does = options.description ?? `Uses the MCP server ${label}.`;
      return [alone({ kind: "mcp", label, url, token, allowedTools }, does)];
    },
  };
}

function settingsOf(options: z.output<typeof schema>): JsonObject {
  const { serverUrl: url, serverLabel: name, authorizationToken: token, headers } = options;
  const { allowedTools: allow, blockedTools: block, needsApproval } = options;
  return {
    url,
    name,
    ...(token === undefined ? undefined : { auth: { token } }),
    ...(headers === undefined ? undefined : { headers }),
    ...(allow === undefined && block === undefined
      ? undefined
      : { toolFilter: { ...(allow && { allow }), ...(block && { block }) } }),
    ...(needsApproval === undefined ? undefined : { needsApproval }),
  };
}

function refuseSecrets({ authorizationToken, headers = {} }: z.output<typeof schema>): void {
  if ([authorizationToken, ...Object.values(headers)].some((each) => typeof each === "string"))
    throw invalidDefinition(
      'MCPServerTool: a stored definition holds no secret here: give { "env": "NAME" }, or name the server in `mcps`, whose keys are sealed',
    );
}

function valueOf(named: z.output<typeof secret>, { services }: RunScope): string {
  if (typeof named === "string") return noteSecret(named);
  const value = services.variables?.[named.env]?.trim() ?? "";
  if (value !== "") return noteSecret(value);
  throw new EngineError("invalid_definition", `MCPServerTool: the secret ${named.env} is not set`);
}
