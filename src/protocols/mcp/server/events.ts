import type { JsonValue } from "../../../base/json.ts";
import { eventTypes } from "../../../events/run-event.ts";

/** What a tool of `mcp({ tools })` tells its client while it works. */
export interface McpEvents {
  mcp_tool_progress: { progress: number; total?: number; message?: string };
  mcp_tool_log: { level: string; data: JsonValue };
}

declare module "../../../events/run-event.ts" {
  interface EventPayloads extends McpEvents {}
}

export const mcpEvents = eventTypes<McpEvents>({ mcp_tool_progress: true, mcp_tool_log: true });
