// The server of one request or session: handlers of the protocol's methods, for one caller.
import { Server, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { handleCompletion, handlePrompts, handleResources } from "./content-handlers.ts";
import { TASKS } from "./run-tasks.ts";
import type { McpDeployment, McpIdentity, ServerAt } from "./server-context.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { handleTasks, handleTools } from "./tool-handlers.ts";

/** Additional state of a session's server. */
export type McpSessionParts = { readonly subscriptions: Subscriptions };

/** The revision without sessions. */
export const MODERN = "2026-07-28";

const LIST_TTL_MS = 60_000;
/** Maximum number of questions of one call in a session. */
const MAX_ROUNDS = 50;
/** Lists belong to one tenant. */
const LIST_HINT = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;

/** Creates a server for one caller. */
export function mcpServer(
  deployment: McpDeployment,
  identity: McpIdentity,
  of: "modern" | "legacy" | McpSessionParts,
): Server {
  const era = typeof of === "string" ? of : "session";
  const { options, resources } = deployment;
  const { name = "edgecrew", version = "1", title } = options.server ?? {};
  const server = new RunServer(
    { name, version, ...(title === undefined ? undefined : { title }) },
    {
      capabilities: {
        tools: {},
        logging: {},
        completions: {},
        prompts: {},
        ...(resources.isOffered
          ? { resources: era === "legacy" ? {} : { subscribe: true } }
          : undefined),
        ...(era === "modern" ? { extensions: { [TASKS]: {} } } : undefined),
      },
      ...(options.instructions === undefined ? undefined : { instructions: options.instructions }),
      cacheHints: {
        "tools/list": LIST_HINT,
        "prompts/list": LIST_HINT,
        "resources/list": LIST_HINT,
        "resources/templates/list": LIST_HINT,
        "server/discover": LIST_HINT,
      },
      supportedProtocolVersions: era === "modern" ? [MODERN] : SUPPORTED_PROTOCOL_VERSIONS,
      inputRequired: { legacyShim: era === "session", maxRounds: MAX_ROUNDS },
    },
  );
  const subscriptions = typeof of === "string" ? undefined : of.subscriptions;
  const at: ServerAt = { ...deployment, identity, era, server, subscriptions };
  handleTools(at);
  if (resources.isOffered) handleResources(at);
  handlePrompts(at);
  handleCompletion(at);
  if (era === "modern") handleTasks(at);
  return server;
}

/** Task results have no content, but the package would add it. */
class RunServer extends Server {
  protected override _wrapHandler(
    ...[method, handler]: Parameters<Server["_wrapHandler"]>
  ): ReturnType<Server["_wrapHandler"]> {
    // oxlint-disable-next-line no-underscore-dangle -- see above
    const wrapped = super._wrapHandler(method, handler);
    if (method !== "tools/call") return wrapped;
    return async (request, context) => {
      const result = await wrapped(request, context);
      if (result["resultType"] !== "task") return result;
      const { content: _, ...task } = result;
      return task;
    };
  }
}
