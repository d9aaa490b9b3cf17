// Resolves the servers in `mcps` of agents, for the runs of one deployment.
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

/** The runs' `services.mcp`. */
export type McpService = NonNullable<RunServices["mcp"]>;

/** Options of `mcpClient()`. */
export type McpClientOptions = {
  /** Servers by their names in `mcps`: `"notion"`, `"notion#search"`. @default none */
  readonly catalog?: Readonly<Record<string, string | McpServerInput>>;
  /**
   * Variables permitted as secrets in stored definitions, `{ secret: "NAME" }`, each with its permitted hosts.
   * @default none
   */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
  /**
   * Lets runs continue without the tools of unreachable servers, unless a server's own settings decide. @default false
   */
  readonly optional?: boolean;
  /** Sends requests. @default the global one */
  readonly fetch?: typeof fetch;
};

const LEGACY_PREFIX = /^crewai-amp:/;
const CATALOG_CACHE_MS = 300_000;

/**
 * Creates the service of each tenant. `ofRun` replaces `access` for a run. Fails with `invalid_definition` for invalid
 * options.
 */
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
 * Connects agents to the servers in their `mcps`, in runs of this process: `crew.start({ services: { mcp: mcpService()
 * } })`. Fails with `invalid_definition` for invalid options.
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

/**
 * The rules of data apply to addresses and settings, because most come from definitions; the catalog counts as code.
 */
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

/** Stands for a name missing from the catalog: emits an event, and the other servers are used. */
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
