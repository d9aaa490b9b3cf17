import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { joinedSources, type ToolSource } from "../../tool-source.ts";

/** Creates a source of the tools of MCP servers, listed by the run's own client. All servers are asked concurrently. */
export function serverSource(
  className: string,
  { name, servers }: { readonly name: string; readonly servers: readonly JsonObject[] },
): ToolSource {
  return {
    name,
    open: async (place, owner) => {
      const { mcp } = place.services;
      if (mcp === undefined)
        throw new EngineError(
          "invalid_definition",
          `${className} needs a client for MCP servers: add mcpClient() of edgecrew/mcp to the app's parts, or mcpService() to the services of the run`,
        );
      return joinedSources(name, servers.map(mcp.source)).open(place, owner);
    },
  };
}
