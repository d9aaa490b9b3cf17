/** The Model Context Protocol: crews, flows, agents and tools of yours for its clients. */
import { D1CallerCounts } from "./cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "./cloudflare/stores/d1-thread-store.ts";
import { mcpSessionObjects } from "./cloudflare/session-objects.ts";
import type { Part } from "./parts/part.ts";
import { mcpPart } from "./protocols/mcp/server/mcp-part.ts";
import type { McpOptions } from "./protocols/mcp/server/mcp-options.ts";

/** Options, and what they are made of. */
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
} from "./protocols/mcp/server/mcp-options.ts";
/** For tools of `mcp({ tools })`: results with images and sounds, questions for the client, progress and logs. */
export {
  mcpResult,
  type McpContent,
  type McpToolResult,
} from "./protocols/mcp/server/mcp-content.ts";
export {
  askClient,
  logToClient,
  reportProgress,
  type McpAsk,
} from "./protocols/mcp/server/mcp-asks.ts";

/**
 * Offers exposed crews, flows and agents, and tools, resources and prompts of your own, to MCP clients at `/mcp`:
 * `defineApp({ parts: [mcp({ expose: "all" })] })`. Throws `invalid_definition` for options that cannot work.
 */
export function mcp(options: McpOptions = {}): Part {
  return mcpPart(options, {
    threads: (env) => new D1ThreadStore(env.DB),
    counts: (env) => new D1CallerCounts(env.DB),
    sessions: (env) => mcpSessionObjects(env),
  });
}
