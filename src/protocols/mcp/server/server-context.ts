// Shared by the handlers of a server: its caller, and the conversion of errors to the protocol's.
import { noted } from "../../../base/log.ts";
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { EngineError, errorMessage, type ErrorCode } from "../../../base/error.ts";
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

/**
 * The error of each code: `params` for what the client can change, `later` for what may pass, `hidden` for a bug. A new
 * code without an entry does not compile.
 */
const BY_CODE = {
  invalid_input: "params",
  unauthorized: "params",
  forbidden: "params",
  csrf: "params",
  token_expired: "params",
  token_used: "params",
  not_found: "params",
  conflict: "params",
  precondition_failed: "params",
  payload_too_large: "params",
  limit_exceeded: "params",
  rate_limited: "params",
  quota_exceeded: "params",
  invalid_definition: "params",
  run_cancelled: "params",
  timeout: "later",
  wait_expired: "params",
  budget_exceeded: "params",
  journal_mismatch: "params",
  crash_budget_exceeded: "params",
  outcome_unknown: "params",
  interrupted: "params",
  value_too_large: "params",
  hook_aborted: "params",
  model_failed: "params",
  model_unavailable: "later",
  model_unauthorized: "params",
  model_rate_limited: "params",
  model_rejected: "params",
  content_filtered: "params",
  answer_cut_off: "params",
  answer_too_large: "params",
  answer_empty: "params",
  context_window_exceeded: "params",
  tool_failed: "params",
  tool_failure_raised: "params",
  agent_failed: "params",
  user_code_failed: "params",
  output_invalid: "params",
  embedding_mismatch: "params",
  vector_store_unavailable: "later",
  unavailable: "later",
  not_configured: "params",
  internal: "hidden",
} as const satisfies Record<ErrorCode, "params" | "later" | "hidden">;

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
    const kind = EngineError.is(error) ? BY_CODE[error.code] : "hidden";
    if (kind === "params") throw badParams(errorMessage(error));
    if (kind === "later")
      throw new ProtocolError(ProtocolErrorCode.InternalError, errorMessage(error));
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
