/** The Model Context Protocol: crews, flows, agents and tools of yours for its clients, and tools of its servers for your agents. */
import { D1CallerCounts } from "../cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "../cloudflare/stores/d1-thread-store.ts";
import { mcpSessionObjects } from "../cloudflare/session-objects.ts";
import type { Part, PartPlace } from "../parts/part.ts";
import { mcpPart } from "../protocols/mcp/server/mcp-part.ts";
import type { McpOptions } from "../protocols/mcp/server/mcp-options.ts";
import { D1McpTokens } from "../cloudflare/stores/d1-mcp-tokens.ts";

import { InMemoryMcpTokens, type McpTokenStore } from "../protocols/mcp/client/auth/token-store.ts";
import { mcpClientPart } from "../protocols/mcp/client/mcp-client-part.ts";
import type { McpClientOptions } from "../protocols/mcp/client/mcp-service.ts";

/**
 * Offers exposed crews, flows and agents, and tools, resources and prompts of your own, to MCP clients at `/mcp`:
 * `defineApp({ parts: [mcp({ expose: "all" })] })`. Throws `invalid_definition` for invalid options.
 */
export function mcp(options: McpOptions = {}): Part {
  return mcpPart(options, {
    threads: (env) => new D1ThreadStore(env.DB),
    counts: (env) => new D1CallerCounts(env.DB),
    sessions: (env) => mcpSessionObjects(env),
  });
}

/** Options, and their member types. */
export type {
  McpComplete,
  McpOptions,
  McpPrompt,
  McpPromptMessage,
  McpRequester,
  McpResource,
  McpResourceData,
  McpResourceTemplate,
  McpToolOptions,
} from "../protocols/mcp/server/mcp-options.ts";
/** For tools of `mcp({ tools })`: results with images and sounds, questions for the client, progress and logs. */
export {
  mcpResult,
  type McpContent,
  type McpToolResult,
} from "../protocols/mcp/server/mcp-content.ts";
export {
  askClient,
  logToClient,
  reportProgress,
  type McpAsk,
} from "../protocols/mcp/server/mcp-asks.ts";

/** Servers as values, for `mcps` of agents. */
export {
  MCPServerAdapter,
  MCPServerHTTP,
  MCPServerSSE,
  MCPServerStdio,
  mcpServer,
  type McpServerInput,
  type McpSurroundings,
} from "../protocols/mcp/client/mcp-server.ts";
export type {
  McpApproval,
  McpAuth,
  McpOAuth,
  McpSecret,
  McpServerOptions,
} from "../protocols/mcp/client/settings.ts";
export type {
  FilteredTool,
  McpToolFilter,
  StaticToolFilter,
  ToolFilterContext,
} from "../protocols/mcp/client/tool-filter.ts";
/** Prompts and resources of a server, outside of runs. */
export {
  mcpReader,
  type McpPrompt as McpRemotePrompt,
  type McpPromptMessage as McpRemotePromptMessage,
  type McpReader,
  type McpResource as McpRemoteResource,
} from "../protocols/mcp/client/library.ts";
/** Storage of OAuth tokens; implement it for a store of your own. */
export { InMemoryMcpTokens } from "../protocols/mcp/client/auth/token-store.ts";
export type { KeptToken, McpTokenStore } from "../protocols/mcp/client/auth/token-store.ts";
/** Options for `services.mcp` of runs in this process, which enable `mcps` by address and by name. */
export {
  mcpService,
  type McpClientOptions,
  type McpService,
} from "../protocols/mcp/client/mcp-service.ts";

/**
 * Connects agents to the MCP servers in their `mcps`: `defineApp({ parts: [mcpClient()] })`. Throws
 * `invalid_definition` for invalid options.
 */
export function mcpClient(options: McpClientOptions = {}): Part {
  const inProcess = new Map<string, McpTokenStore>();
  return mcpClientPart(options, ({ env, tenant, environment }: PartPlace) => {
    const { seal, open } = environment.definitions ?? {};
    const isKept = environment.variables["EDGECREW_SECRETS_KEY"]?.trim() !== undefined;
    if (isKept && seal !== undefined && open !== undefined)
      return new D1McpTokens(env.DB, tenant, { seal, open });
    // Without an encryption key, tokens stay in this process only.
    let tokens = inProcess.get(tenant);
    if (tokens === undefined) inProcess.set(tenant, (tokens = new InMemoryMcpTokens()));
    return tokens;
  });
}
