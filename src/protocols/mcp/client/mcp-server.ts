// MCP servers as values, for `mcps` of agents: they work in any run, with and without a Worker.
import { environmentVariables } from "../../../base/system.ts";
import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import { EngineError } from "../../../base/error.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { OutboundPolicy } from "../../../security/outbound.ts";
import { joinedSources, type ToolSource } from "../../../tools/tool-source.ts";
import type { McpAccess } from "./access.ts";
import { InMemoryMcpTokens, type McpTokenStore } from "./auth/token-store.ts";
import { mcpSource } from "./mcp-source.ts";
import {
  readServerAddress,
  readServerSettings,
  type McpServerOptions,
  type McpServerSettings,
} from "./settings.ts";
import { ToolLists } from "./tool-lists.ts";

/** Resources for a server named in code. */
export type McpSurroundings = {
  /** Sends its requests. @default the global one */
  readonly fetch?: typeof fetch;
  /** Permitted targets outside of the server's own origin, such as for tokens. @default public addresses */
  readonly outbound?: OutboundPolicy;
  /** Storage of OAuth tokens. @default in this process */
  readonly tokens?: McpTokenStore;
};

const SURROUNDINGS = definitionOptions<McpSurroundings>(
  "the second argument of mcpServer(), whose settings are in the first,",
  { fetch: true, outbound: true, tokens: true },
);

/** Settings in code, also in CrewAI's spelling. */
export type McpServerInput = McpServerOptions | Readonly<Record<string, unknown>>;

/**
 * Creates a server for `mcps` of an agent: `mcpServer("https://docs.example.com/mcp")`, or its settings. Works in every
 * run. Fails with `invalid_definition` for invalid settings.
 */
export function mcpServer(
  server: string | McpServerInput,
  surroundings: McpSurroundings = {},
): ToolSource {
  refuseUnknownOptions(surroundings, SURROUNDINGS);
  return mcpSource({
    settings: serverSettings(server),
    access: accessOf(surroundings),
    lists: new ToolLists(),
  });
}

/** CrewAI's name for a server over streamable HTTP. */
export function MCPServerHTTP(options: McpServerInput, surroundings?: McpSurroundings): ToolSource {
  return mcpServer({ transport: "http", ...options }, surroundings);
}

/** CrewAI's name for a server over HTTP with server-sent events, as before 2025-03-26. */
export function MCPServerSSE(options: McpServerInput, surroundings?: McpSurroundings): ToolSource {
  return mcpServer({ transport: "sse", ...options }, surroundings);
}

/**
 * CrewAI's name for the tools of one or more servers, as an entry of `tools`: `tools: [MCPServerAdapter({ url },
 * ["search"])]`. Without names, agents get all tools.
 */
export function MCPServerAdapter(
  params: string | McpServerInput | readonly McpServerInput[],
  toolNames: readonly string[] = [],
  surroundings?: McpSurroundings,
): ToolSource {
  const servers = (Array.isArray(params) ? params : [params]) as readonly (
    | string
    | McpServerInput
  )[];
  const filter = toolNames.length === 0 ? undefined : { toolFilter: toolNames };
  const sources = servers.map((each) => {
    const server = typeof each === "string" ? { url: each } : each;
    return mcpServer({ ...server, ...filter }, surroundings);
  });
  return joinedSources(sources.map(({ name }) => name).join(","), sources);
}

/**
 * CrewAI's name for a server as a local process. Fails with `invalid_definition`, with the alternative in its message.
 */
export function MCPServerStdio(options: Readonly<Record<string, unknown>>): ToolSource {
  return mcpServer({ command: "", ...options });
}

/** Reads the settings of a server named in code. */
export function serverSettings(server: string | McpServerInput): McpServerSettings {
  if (typeof server !== "string") return readServerSettings(server);
  if (/^https?:\/\//.test(server)) return readServerAddress(server);
  throw new EngineError(
    "invalid_definition",
    `mcpServer expects an address that begins with https://, or settings, got ${JSON.stringify(server)}; a name such as "notion" is looked up in mcpClient({ catalog })`,
  );
}

/** Returns the access of servers named in code. */
export function accessOf({
  fetch,
  outbound = {},
  tokens = new InMemoryMcpTokens(),
}: McpSurroundings): (scope: Pick<RunScope, "services">) => McpAccess {
  return ({ services }) => ({
    tenant: services.tenant ?? "default",
    variables: services.variables ?? environmentVariables(),
    outbound,
    secrets: {},
    open: undefined,
    tokens,
    fetch,
  });
}
