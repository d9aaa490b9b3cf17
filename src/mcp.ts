/** MCP: agents use the tools of other servers. */
import { D1McpTokens } from "./cloudflare/stores/d1-mcp-tokens.ts";
import type { Part, PartPlace } from "./parts/part.ts";
import { InMemoryMcpTokens, type McpTokenStore } from "./protocols/mcp/client/auth/token-store.ts";
import { mcpClientPart } from "./protocols/mcp/client/mcp-client-part.ts";
import type { McpClientOptions } from "./protocols/mcp/client/mcp-service.ts";

/** Servers as values, for `mcps` of agents. */
export {
  MCPServerHTTP,
  MCPServerSSE,
  MCPServerStdio,
  mcpServer,
  type McpServerInput,
  type McpSurroundings,
} from "./protocols/mcp/client/mcp-server.ts";
export type {
  McpApproval,
  McpAuth,
  McpOAuth,
  McpSecret,
  McpServerOptions,
} from "./protocols/mcp/client/settings.ts";
export type {
  FilteredTool,
  McpToolFilter,
  StaticToolFilter,
  ToolFilterContext,
} from "./protocols/mcp/client/tool-filter.ts";
/** Prompts and resources of a server, outside of runs. */
export {
  mcpReader,
  type McpPrompt,
  type McpPromptMessage,
  type McpReader,
  type McpResource,
} from "./protocols/mcp/client/library.ts";
/** Where OAuth tokens are kept; implement it for a store of your own. */
export { InMemoryMcpTokens } from "./protocols/mcp/client/auth/token-store.ts";
export type { KeptToken, McpTokenStore } from "./protocols/mcp/client/auth/token-store.ts";
/** For `services.mcp` of runs in this process: with it `mcps` by address and by name work. */
export {
  mcpService,
  type McpClientOptions,
  type McpService,
} from "./protocols/mcp/client/mcp-service.ts";

/**
 * Connects agents to the MCP servers that their `mcps` name: `defineApp({ parts: [mcpClient()] })`. Throws `invalid_definition` for
 * options that cannot work.
 */
export function mcpClient(options: McpClientOptions = {}): Part {
  const inProcess = new Map<string, McpTokenStore>();
  return mcpClientPart(options, ({ env, tenant, environment }: PartPlace) => {
    const { seal, open } = environment.definitions ?? {};
    const isKept = environment.variables["EDGECREW_SECRETS_KEY"]?.trim() !== undefined;
    if (isKept && seal !== undefined && open !== undefined)
      return new D1McpTokens(env.DB, tenant, { seal, open });
    // Nothing to encrypt them with: this process forgets them at its end.
    let tokens = inProcess.get(tenant);
    if (tokens === undefined) inProcess.set(tenant, (tokens = new InMemoryMcpTokens()));
    return tokens;
  });
}
