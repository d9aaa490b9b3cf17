import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { joinedSources, type ToolSource } from "../../tool-source.ts";

/** The tools of MCP servers, by their settings, as the run's own client finds them. All servers are asked at once. */
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
