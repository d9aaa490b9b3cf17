import type { JsonValue } from "../../../base/json.ts";
import { eventTypes } from "../../../events/run-event.ts";

/** Server of an event. The address has no query. */
type McpServerFields = {
  serverName: string;
  serverUrl: string;
  /** @example "streamable_http" */
  transportType: string;
};

/** Kind of a connection failure. */
export type McpConnectionErrorType =
  | "timeout"
  | "authentication"
  | "network"
  | "not_found"
  | "protocol";

/** Use of MCP servers by agents. */
export interface McpClientEvents {
  mcp_connection_started: McpServerFields & {
    agentRole: string;
    isReconnect: boolean;
    /** In seconds. */
    connectTimeout: number;
  };
  mcp_connection_completed: McpServerFields & {
    agentRole: string;
    connectionDurationMs: number;
    /** Protocol revisions of the server: 2026-07-28 and later, or earlier. */
    era: string;
    tools: readonly string[];
  };
  mcp_connection_failed: McpServerFields & {
    agentRole: string;
    error: string;
    errorType: string;
  };
  mcp_tool_execution_started: McpServerFields & {
    agentRole: string;
    toolName: string;
    toolArgs: JsonValue;
  };
  mcp_tool_execution_completed: McpServerFields & {
    agentRole: string;
    toolName: string;
    toolArgs: JsonValue;
    result: string;
    executionDurationMs: number;
  };
  mcp_tool_execution_failed: McpServerFields & {
    agentRole: string;
    toolName: string;
    toolArgs: JsonValue;
    error: string;
    /** `tool_error`: the tool reported it. `timeout`, `server_error`: the request failed, or got no answer. */
    errorType: string;
  };
  mcp_config_fetch_failed: {
    agentRole: string;
    slug: string;
    error: string;
    errorType: string;
  };
}

declare module "../../../events/run-event.ts" {
  interface EventPayloads extends McpClientEvents {}
}

export const mcpClientEvents = eventTypes<McpClientEvents>({
  mcp_connection_started: true,
  mcp_connection_completed: true,
  mcp_connection_failed: true,
  mcp_tool_execution_started: true,
  mcp_tool_execution_completed: true,
  mcp_tool_execution_failed: true,
  mcp_config_fetch_failed: true,
});
