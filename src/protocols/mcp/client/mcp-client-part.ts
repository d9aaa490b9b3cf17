// MCP servers in a Worker: what `defineApp({ parts: [mcpClient()] })` takes.
import { isJsonObject, preview } from "../../../base/json.ts";
import type { Part, PartPlace } from "../../../parts/part.ts";
import type { ToolSource } from "../../../tools/tool-source.ts";
import { checkAccess, type McpAccess } from "./access.ts";
import type { McpTokenStore } from "./auth/token-store.ts";
import { mcpClientEvents } from "./events.ts";
import { mcpSource } from "./mcp-source.ts";
import { serverSettings, type McpServerInput } from "./mcp-server.ts";
import { readServerAddress, readServerSettings, type McpServerSettings } from "./settings.ts";
import { ToolLists } from "./tool-lists.ts";

/** Options of `mcpClient()`. */
export type McpClientOptions = {
  /** Servers by the name under which `mcps` may name them: `"notion"`, `"notion#search"`. @default none */
  readonly catalog?: Readonly<Record<string, string | McpServerInput>>;
  /**
   * The variables that stored definitions may name as secrets, `{ secret: "NAME" }`, each with the hosts that it may be sent to.
   * @default none
   */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
  /** Lets runs go on without the tools of servers that do not answer, wherever a server's own settings say nothing. @default false */
  readonly optional?: boolean;
  /** How requests are sent. @default the global one */
  readonly fetch?: typeof fetch;
};

const LEGACY_PREFIX = /^crewai-amp:/;

/** The part that connects agents to MCP servers. Throws `invalid_definition` for options that cannot work. */
export function mcpClientPart(
  options: McpClientOptions,
  tokensOf: (place: PartPlace) => McpTokenStore,
): Part {
  const { catalog = {}, secrets = {}, optional = false } = options;
  const known = new Map(
    Object.entries(catalog).map(([slug, server]) => {
      const settings = serverSettings(server);
      const isKept = typeof server === "string" || settings.cacheMs > 0;
      return [slug, isKept ? settings : { ...settings, cacheMs: 300_000 }] as const;
    }),
  );
  const lists = new ToolLists();
  const settingsOf = (server: unknown): McpServerSettings | UnknownSlug => {
    const read = readReference(server, known);
    if ("slug" in read || !optional) return read;
    const says = isJsonObject(server) && server["optional"] !== undefined;
    return says ? read : { ...read, optional };
  };
  return {
    name: "mcp-client",
    docs: "mcp.md",
    events: mcpClientEvents,
    migrations: ["0015_mcp_tokens.sql"],
    services: {
      mcp: (place) => {
        const { tenant, outbound, environment } = place;
        const access: McpAccess = {
          tenant,
          outbound,
          secrets,
          variables: environment.variables,
          open: environment.definitions?.open,
          tokens: tokensOf(place),
          fetch: options.fetch,
        };
        const checked = (server: unknown): McpServerSettings | UnknownSlug => {
          const settings = settingsOf(server);
          if (!("slug" in settings)) checkAccess(settings, access);
          return settings;
        };
        return {
          check: (server) => void checked(server),
          source: (server) => {
            const settings = checked(server);
            return "slug" in settings
              ? missingSource(settings, [...known.keys()])
              : mcpSource({ settings, access: () => access, lists });
          },
        };
      },
    },
  };
}

type UnknownSlug = { readonly slug: string };

/** Addresses and settings are held to the rules of data, as definitions hold most of them; a catalog's are code. */
function readReference(
  server: unknown,
  known: ReadonlyMap<string, McpServerSettings>,
): McpServerSettings | UnknownSlug {
  if (typeof server !== "string") return readServerSettings(server);
  if (server.startsWith("https://")) return { ...readServerAddress(server), fromData: true };
  const [slug = "", ...tool] = server.replace(LEGACY_PREFIX, "").split("#");
  const settings = known.get(slug);
  if (settings === undefined) return { slug };
  return tool.length === 0 ? settings : { ...settings, onlyTool: tool.join("#") };
}

/** A name that the catalog does not have: an event says so, and the other servers are used. */
function missingSource({ slug }: UnknownSlug, known: readonly string[]): ToolSource {
  return {
    name: slug,
    open: async (place, { agentRole }) => {
      const names = known.length === 0 ? "no servers" : known.join(", ");
      const error = `there is no MCP server ${preview(slug)}: the catalog of mcpClient() has ${names}`;
      place.emit("mcp_config_fetch_failed", {
        agentRole,
        slug,
        error,
        errorType: "not_connected",
      });
      place.emit("agent_warning", { agentRole, message: error });
      return [];
    },
  };
}
