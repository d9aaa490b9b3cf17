// The servers that `mcps` of agents name, as the runs of one deployment find them.
import { isJsonObject, preview } from "../../../base/json.ts";
import type { RunServices } from "../../../events/run-services.ts";
import type { ToolSource } from "../../../tools/tool-source.ts";
import { checkAccess, type McpAccess } from "./access.ts";
import { mcpSource, type McpSourceOptions } from "./mcp-source.ts";
import {
  accessOf,
  serverSettings,
  type McpServerInput,
  type McpSurroundings,
} from "./mcp-server.ts";
import { readServerAddress, readServerSettings, type McpServerSettings } from "./settings.ts";
import { ToolLists } from "./tool-lists.ts";

/** What runs have as `services.mcp`. */
export type McpService = NonNullable<RunServices["mcp"]>;

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
const CATALOG_CACHE_MS = 300_000;

/** Makes the service of each tenant; `ofRun` is what a run has in place of `access`. Throws `invalid_definition` for options that cannot work. */
export function mcpServices(
  options: McpClientOptions,
): (access: McpAccess, ofRun?: McpSourceOptions["access"]) => McpService {
  const { catalog = {}, optional = false } = options;
  const known = new Map(
    Object.entries(catalog).map(([slug, server]) => {
      const settings = serverSettings(server);
      const isKept = typeof server === "string" || settings.cacheMs > 0;
      return [slug, isKept ? settings : { ...settings, cacheMs: CATALOG_CACHE_MS }] as const;
    }),
  );
  const lists = new ToolLists();
  const settingsOf = (server: unknown): McpServerSettings | UnknownSlug => {
    const read = readReference(server, known);
    if ("slug" in read || !optional) return read;
    const says = isJsonObject(server) && server["optional"] !== undefined;
    return says ? read : { ...read, optional };
  };
  return (access, ofRun = () => access) => {
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
          : mcpSource({ settings, access: ofRun, lists });
      },
    };
  };
}

/**
 * Connects agents to the servers that their `mcps` name, in runs of this process: `crew.start({ services: { mcp: mcpService() } })`.
 * Throws `invalid_definition` for options that cannot work.
 */
export function mcpService(
  options: McpClientOptions = {},
  surroundings: Omit<McpSurroundings, "fetch"> = {},
): McpService {
  const { fetch, secrets = {} } = options;
  const open = mcpServices(options);
  const own = accessOf({ ...surroundings, ...(fetch === undefined ? undefined : { fetch }) });
  const ofRun: typeof own = (scope) => ({ ...own(scope), secrets });
  return open(ofRun({ services: {} }), ofRun);
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
