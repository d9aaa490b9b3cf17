// What the handlers of a server share: its caller, and how errors become those of the protocol.
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

/** What all servers of a deployment share. */
export type McpDeployment = {
  readonly options: McpOptions;
  readonly host: PartHost;
  readonly runs: ProtocolRuns;
  readonly tools: ToolList;
  readonly calls: ToolCalls;
  readonly resources: Resources;
  readonly prompts: Prompts;
  /** Sessions by tenant and id, where the Worker keeps some. */
  readonly sessions?: ((name: string) => PartSession) | undefined;
};

/** Which server it is: of the current revision, of older ones, or of a session of these. */
export type McpEra = "modern" | "legacy" | "session";

/** Who a server is for. */
export type McpIdentity = {
  readonly tenant: string;
  readonly callerId: string;
  /** The key's scopes let it see what it has not started itself. */
  readonly mayRead: boolean;
};

/** A server with all that its handlers need. */
export type ServerAt = McpDeployment & {
  readonly identity: McpIdentity;
  readonly era: McpEra;
  readonly server: Server;
  readonly subscriptions: Subscriptions | undefined;
};

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVELS = ["debug", "info", "notice", "warning", "error"] as const;

/** Runs a handler: errors of ours become those of the protocol, and what nobody expected is reported, not told. */
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

/** Who calls, and what the client can do. */
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

/** Who reads. */
export function requesterOf(
  { identity }: ServerAt,
  { mcpReq: { signal } }: ServerContext,
): McpRequester {
  return { ...identity, signal };
}

/** Where the client of a request hears of its run. */
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

/** An error of the request. */
export function badParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
