import type { PartEnv, PartSession } from "../parts/part.ts";

declare module "../parts/part.ts" {
  interface PartEnv {
    /** Durable Objects of the class `McpSessions`: sessions of MCP clients. */
    readonly MCP_SESSIONS?: unknown;
  }
}

/** Returns the sessions of MCP clients by name; undefined if the Worker has no objects for them. */
export function mcpSessionObjects({
  MCP_SESSIONS: binding,
}: PartEnv): ((name: string) => PartSession) | undefined {
  if (binding === undefined) return undefined;
  const namespace = binding as { getByName(name: string): PartSession };
  return (name) => {
    const object = namespace.getByName(name);
    return { fetch: (request) => object.fetch(request) };
  };
}
