// MCP servers in a Worker: the part for `defineApp({ parts: [mcpClient()] })`.
import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import type { Part, PartPlace } from "../../../parts/part.ts";
import type { McpTokenStore } from "./auth/token-store.ts";
import { mcpClientEvents } from "./events.ts";
import { mcpServices, type McpClientOptions } from "./mcp-service.ts";

const OPTIONS = definitionOptions<McpClientOptions>("mcpClient()", {
  catalog: true,
  secrets: true,
  optional: true,
  fetch: true,
});

/** Connects agents to MCP servers. Fails with `invalid_definition` for invalid options. */
export function mcpClientPart(
  options: McpClientOptions,
  tokensOf: (place: PartPlace) => McpTokenStore,
): Part {
  refuseUnknownOptions(options, OPTIONS);
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
