import type { JsonValue } from "../../../base/json.ts";
import { eventTypes } from "../../../events/run-event.ts";

/** Progress and logs of a tool of `mcp({ tools })`, for its client. */
export interface McpEvents {
  mcp_tool_progress: { progress: number; total?: number; message?: string };
  mcp_tool_log: { level: string; data: JsonValue };
}

declare module "../../../events/run-event.ts" {
  interface EventPayloads extends McpEvents {}
}

export const mcpEvents = eventTypes<McpEvents>({ mcp_tool_progress: true, mcp_tool_log: true });
