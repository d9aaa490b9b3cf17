// Shared by the handlers of a server: its caller, and the conversion of errors to the protocol's.
import { noted } from "../../../base/log.ts";
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { PartHost, PartSession } from "../../../parts/part.ts";
import type { ProtocolRuns } from "../../protocol-runs.ts";
import type { ToolCalls } from "./call-tools.ts";
import type { McpCaller, ToolCall } from "./tool-call.ts";
import type { McpOptions, McpRequester } from "./mcp-options.ts";
import type { Prompts } from "./prompts.ts";
import { abilitiesOf } from "./questions.ts";
import type { Resources } from "./resources.ts";
import { TASKS } from "./run-tasks.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { ToolList } from "./tool-list.ts";

/** Resources shared by all servers of a deployment. */
export type McpDeployment = {
  readonly options: McpOptions;
  readonly host: PartHost;
  readonly runs: ProtocolRuns;
  readonly tools: ToolList;
  readonly calls: ToolCalls;
  readonly resources: Resources;
  readonly prompts: Prompts;
  /** Sessions by tenant and id, if the Worker has them. */
  readonly sessions?: ((name: string) => PartSession) | undefined;
};

/** Kind of server: for the current revision, for older ones, or for a session of these. */
export type McpEra = "modern" | "legacy" | "session";

/** Caller of a server. */
export type McpIdentity = {
  readonly tenant: string;
  readonly callerId: string;
  /** True if the key's scopes allow it to see runs of others. */
  readonly mayRead: boolean;
};

/** A server with the resources of its handlers. */
export type ServerAt = McpDeployment & {
  readonly identity: McpIdentity;
  readonly era: McpEra;
  readonly server: Server;
  readonly subscriptions: Subscriptions | undefined;
};

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVELS = ["debug", "info", "notice", "warning", "error"] as const;

/**
 * Runs a handler: errors of ours become those of the protocol. Unexpected errors are reported, and hidden from the
 * client.
 */
export async function guarded<Result>(
  { host, era }: ServerAt,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (era !== "modern" && error instanceof MissingRequiredClientCapabilityError)
      throw badParams(`${error.message}; a session, or another revision, is needed`);
    if (error instanceof ProtocolError) throw error;
    if (EngineError.is(error) && error.code !== "internal") throw badParams(error.message);
    host.report(noted(error, "request_failed"));
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      "an internal error occurred; you can repeat the request",
    );
  }
}

/** Returns the caller, with the client's capabilities. */
export function callerOf({ identity, era, server }: ServerAt, context: ServerContext): McpCaller {
  const capabilities =
    era === "modern"
      ? (context.mcpReq.envelope as JsonObject | undefined)?.[CAPABILITIES]
      : era === "session"
        ? server.getClientCapabilities()
        : undefined;
  const extensions = (capabilities as { extensions?: Record<string, unknown> } | undefined)
    ?.extensions;
  return {
    ...identity,
    abilities: abilitiesOf(capabilities),
    hasTasks: era === "modern" && extensions?.[TASKS] !== undefined,
  };
}

/** Returns the reader. */
export function requesterOf(
  { identity }: ServerAt,
  { mcpReq: { signal } }: ServerContext,
): McpRequester {
  return { ...identity, signal };
}

/** Returns the callbacks for reports to a request's client. */
export function listenerOf({ mcpReq }: ServerContext): ToolCall["listener"] {
  const { _meta: { progressToken } = {} } = mcpReq;
  return {
    ...(progressToken === undefined
      ? undefined
      : {
          progress: (report) =>
            mcpReq.notify({
              method: "notifications/progress",
              params: { progressToken, ...report },
            }),
        }),
    log: (level, data) => mcpReq.log(LOG_LEVELS.find((each) => each === level) ?? "info", data),
  };
}

/** Returns an error of the request. */
export function badParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
