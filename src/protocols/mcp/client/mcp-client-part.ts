// MCP servers in a Worker: what `defineApp({ parts: [mcpClient()] })` takes.
import type { Part, PartPlace } from "../../../parts/part.ts";
import type { McpTokenStore } from "./auth/token-store.ts";
import { mcpClientEvents } from "./events.ts";
import { mcpServices, type McpClientOptions } from "./mcp-service.ts";

/** The part that connects agents to MCP servers. Throws `invalid_definition` for options that cannot work. */
export function mcpClientPart(
  options: McpClientOptions,
  tokensOf: (place: PartPlace) => McpTokenStore,
): Part {
  const serviceFor = mcpServices(options);
  return {
    name: "mcp-client",
    docs: "mcp.md",
    events: mcpClientEvents,
    migrations: ["0015_mcp_tokens.sql"],
    services: {
      mcp: (place) => {
        const { tenant, outbound, environment } = place;
        return serviceFor({
          tenant,
          outbound,
          secrets: options.secrets ?? {},
          variables: environment.variables,
          open: environment.definitions?.open,
          tokens: tokensOf(place),
          fetch: options.fetch,
        });
      },
    },
  };
}
