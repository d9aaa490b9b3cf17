// An MCP server as a source of tools.
//
//   XS1. A run asks a server once for its offer, and keeps this answer: later changes of the server do not affect the
//        run, and a replay sends no request.
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { ToolSource, ToolSourceOwner } from "../../../tools/tool-source.ts";
import { MAX_SIGN_INS, signIn } from "./auth/sign-in.ts";
import { headersOf, identityOf, type McpAccess } from "./access.ts";
import { ConnectionFailed } from "./connection.ts";
import { askWhatThereIs, offeredTools, type Discovery, type FoundServer } from "./discovery.ts";
import { extraTools } from "./extra-tools.ts";
import { mcpTool } from "./mcp-tool.ts";
import type { McpServerSettings } from "./settings.ts";
import type { ToolLists } from "./tool-lists.ts";
import { shownUrl } from "./tool-names.ts";
import { withConnection } from "./with-connection.ts";

/** Resources shared by the sources of one deployment. */
export type McpSourceOptions = {
  readonly settings: McpServerSettings;
  /** Access of the deployment, or of the run. */
  readonly access: (scope: RunScope) => McpAccess;
  readonly lists: ToolLists;
};

/** Pauses between attempts: 1 s, 2 s, and so on. */
const RETRY = { initialDelayMs: 1_000, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 };

/** Makes the source of a server's tools. */
export function mcpSource(options: McpSourceOptions): ToolSource {
  const { settings } = options;
  const { url, optional } = settings;
  const serverUrl = shownUrl(url);
  const name = settings.name ?? serverUrl.replace(/^https?:\/\//, "");
  return {
    name,
    open: async (place, owner) => {
      const about = { serverName: name, serverUrl, transportType: transportType(settings) };
      const who = { agentRole: owner.agentRole };
      const scope = place.open("mcp_connection_started", {
        ...about,
        ...who,
        isReconnect: false,
        connectTimeout: settings.connectTimeoutMs / 1_000,
      });
      let found: Discovery;
      try {
        found = await discover(scope, options, { owner, serverName: name });
      } catch (error) {
        const [errorType, message] = kindOf(error, settings, name);
        scope.emit("mcp_connection_failed", { ...about, ...who, error: message, errorType });
        if (!optional) throw withMessage(error, message);
        const warning = `runs without the tools of MCP server ${name}: ${message}`;
        scope.emit("agent_warning", { ...who, message: warning });
        return [];
      }
      scope.emit("mcp_connection_completed", {
        ...about,
        ...who,
        connectionDurationMs: found.durationMs,
        era: found.route.era,
        tools: found.tools.map(({ exposed }) => exposed),
      });
      for (const [index, message] of found.warnings.entries())
        scope.emit("agent_warning", { ...who, message: `MCP server ${name}: ${message}` }, index);
      const { access, lists } = options;
      const changed = (): void => lists.drop(url);
      const server = { settings, access, about, route: found.route, owner, changed };
      return [...found.tools.map((tool) => mcpTool(tool, server)), ...extraTools(found, server)];
    },
  };
}

/** Returns the server's offer, after a sign-in if necessary. */
async function discover(
  scope: RunScope,
  options: McpSourceOptions,
  { owner, serverName }: { readonly owner: ToolSourceOwner; readonly serverName: string },
): Promise<Discovery> {
  const { settings, access: accessOf } = options;
  let fault: string | undefined;
  for (let attempt = 1; attempt <= MAX_SIGN_INS; attempt++) {
    const place = scope.at(attempt === 1 ? "discovery" : `discovery:${attempt}`);
    const found = await ask(place, options, owner);
    if (!("signInUrl" in found)) return found;
    const asked = { settings, access: accessOf(scope), serverName, url: found.signInUrl, fault };
    fault = await signIn(scope.at(`sign-in:${attempt}`), asked);
  }
  throw new EngineError(
    "tool_failed",
    `authentication: no person could sign in for MCP server ${serverName}: ${fault ?? "it asked again"}`,
  );
}

type SignInNeeded = { readonly signInUrl: string };

function ask(
  scope: RunScope,
  { settings, access: accessOf, lists }: McpSourceOptions,
  { agentRole }: ToolSourceOwner,
): Promise<Discovery | SignInNeeded> {
  return scope.step<Discovery | SignInNeeded>({
    kind: "tool",
    label: "tools/list",
    effect: "idempotent",
    retry: { ...RETRY, maxAttempts: settings.maxRetries + 1 },
    timeoutMs: settings.connectTimeoutMs + settings.discoveryTimeoutMs,
    run: async ({ signal }) => {
      const { clock } = scope;
      const startedAtMs = clock.now();
      const access = accessOf(scope);
      try {
        const identity = identityOf(settings, access, await headersOf(settings, access));
        const key = `${settings.url} ${identity}`;
        const keep = { nowMs: startedAtMs, keepMs: settings.cacheMs };
        const now = (): number => clock.now();
        const found: FoundServer = await lists.get(key, keep, () =>
          withConnection({ settings, access, signal, now }, askWhatThereIs),
        );
        const tools = await offeredTools(found, settings, agentRole);
        return { ...found, tools, durationMs: clock.now() - startedAtMs };
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        if (error.signInUrl !== undefined) return { signInUrl: error.signInUrl };
        const { type, error: cause } = error.failure;
        throw new EngineError(cause.code, `${type}: ${cause.message}`, {
          retryable: cause.retryable,
          cause,
        });
      }
    },
  });
}

const KINDS = ["timeout", "authentication", "network", "not_found", "protocol"];

/** Returns the kind of a recorded failure, which is the prefix of its message, and the message. */
function kindOf(
  error: unknown,
  { connectTimeoutMs, discoveryTimeoutMs }: McpServerSettings,
  name: string,
): readonly [string, string] {
  const recorded = errorMessage(error);
  if (EngineError.is(error) && error.code === "timeout") {
    const limitMs = connectTimeoutMs + discoveryTimeoutMs;
    return ["timeout", `MCP server ${name}: it gave no answer within ${limitMs} ms`];
  }
  const kind = KINDS.find((each) => recorded.startsWith(`${each}: `));
  return kind === undefined ? ["protocol", recorded] : [kind, recorded.slice(kind.length + 2)];
}

function withMessage(error: unknown, message: string): unknown {
  return EngineError.is(error) ? new EngineError(error.code, message, { cause: error }) : error;
}

function transportType({ transport }: McpServerSettings): string {
  return transport === "sse" ? "sse" : "streamable_http";
}
