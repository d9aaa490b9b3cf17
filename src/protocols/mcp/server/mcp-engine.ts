// The code for MCP clients that needs the protocol's package.
import type { JsonValue } from "../../../base/json.ts";
import type { OperationRequest } from "../../../parts/operation.ts";
import type { PartHost, PartSession, SessionStorage } from "../../../parts/part.ts";
import type { ProtocolRuns } from "../../protocol-runs.ts";
import { ToolCalls } from "./call-tools.ts";
import type { McpOptions } from "./mcp-options.ts";
import { Prompts } from "./prompts.ts";
import { Resources } from "./resources.ts";
import { serveMessage, sessionAnswer } from "./serve-message.ts";
import type { McpDeployment } from "./server-context.ts";
import { McpSession } from "./session.ts";
import { ToolList } from "./tool-list.ts";

/** Answers the requests of clients. */
export type McpEngine = {
  /** Answers a message, or a list of them. */
  readonly answer: (request: OperationRequest, body: JsonValue) => Promise<Response>;
  /** Answers other requests of a session. */
  readonly answerSession: (request: OperationRequest, id: string) => Promise<Response>;
  readonly openSession: (storage: SessionStorage) => PartSession;
};

/** Makes the engine of a Worker. */
export function openEngine({
  options,
  host,
  runs,
  sessions,
}: {
  readonly options: McpOptions;
  readonly host: PartHost;
  readonly runs: ProtocolRuns;
  readonly sessions: McpDeployment["sessions"];
}): McpEngine {
  const deployment: McpDeployment = {
    options,
    host,
    runs,
    tools: new ToolList(runs.exposure, options.tools ?? []),
    calls: new ToolCalls(runs, host, options),
    resources: new Resources(options, host),
    prompts: new Prompts(options, runs.exposure),
    sessions,
  };
  return {
    answer: (request, body) => serveMessage(deployment, request, body),
    answerSession: (request, id) => sessionAnswer(deployment, request, { id }),
    openSession: (storage) => new McpSession(deployment, storage),
  };
}
