// A tool of an MCP server, for agents.
//
//   XT1. Each request of a call is a step of its own, on a connection of its own. A request with a possible effect is
//        never sent twice: not after a failure, and not after a crash, which leaves its outcome unknown. Only a request
//        whose server waits for an answer is made again with it (XOC2).
//   XT2. Only calls annotated as read-only or idempotent are repeated.
//   XT3. All requests of a call carry its idempotency key in `_meta`, under `edgecrew/idempotencyKey`.
import { cut, MAX_EVENT_TEXT } from "../../../base/cut.ts";
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { NO_RETRY } from "../../../base/retry.ts";
import { RunScope } from "../../../events/run-scope.ts";
import type { ToolContext } from "../../../tools/tool-context.ts";
import { toolFailure, type ToolFailure } from "../../../tools/tool-failure.ts";
import type { ToolResult } from "../../../tools/tool-result.ts";
import { sanitizeToolName } from "../../../wire/tool-name.ts";
import { toolFromSchema, type Tool } from "../../../tools/tool.ts";
import { MAX_SIGN_INS, signIn } from "./auth/sign-in.ts";
import { withoutEmpty, withSourceTypes } from "./call-arguments.ts";
import { toolResultOf, withFiles } from "./call-files.ts";
import { readResult, textOfResult, type CallResult } from "./call-result.ts";
import { ConnectionFailed, REQUEST, type McpConnection } from "./connection.ts";
import type { OfferedTool } from "./discovery.ts";
import type { McpFailure } from "./failures.ts";
import {
  answersTo,
  requiredPages,
  type InputRequests,
  type InputResponses,
} from "./input-requests.ts";
import { OpenCall } from "./open-call.ts";
import { connectedTo, type OpenServer } from "./open-server.ts";
import { TASK_RESULT } from "./repairing-transport.ts";
import { followTask, type TaskState } from "./remote-task.ts";
import type { McpServerSettings } from "./settings.ts";

/** Field of `_meta` with the same value in all requests of one call. */
export const IDEMPOTENCY_KEY = "edgecrew/idempotencyKey";

/** Answer to a request of a call. */
type Answer =
  | { readonly kind: "result"; readonly result: CallResult }
  | {
      readonly kind: "input";
      readonly requests: InputRequests;
      readonly state?: string;
      /** The server waits for the answers on its open connection, or for the same call once they are given. */
      readonly isOpen?: boolean;
    }
  | { readonly kind: "task"; readonly task: TaskState }
  /** The server has done no work, and requires a person's sign-in first. */
  | { readonly kind: "sign-in"; readonly url: string };

const UNKNOWN = "whether the call took effect is unknown";
/** Maximum number of questions before the answer. */
const MAX_ROUNDS = 10;
const RETRY = { initialDelayMs: 1_000, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 };

/** Creates a tool from a server's offer. */
export function mcpTool(offered: OfferedTool, server: OpenServer): Tool {
  const { exposed, description, parameters } = offered;
  const { vendorQuirks } = server.settings;
  const prepared = (input: JsonObject): JsonObject => {
    const sent = withoutEmpty(input, parameters);
    return vendorQuirks ? withSourceTypes(sent) : sent;
  };
  const made = toolFromSchema({
    name: exposed,
    description,
    parameters,
    // Its requests are steps, which are sent once.
    effect: "idempotent",
    needsApproval: asksPerson(server.settings, offered),
    cache: () => offered.readOnly,
    run: (input, context) => new RemoteCall(offered, server, context).run(input),
  });
  const typed = (input: JsonObject): JsonObject => {
    const sent = prepared(input);
    return made.typed?.(sent) ?? sent;
  };
  return { ...made, typed, call: (input, context) => made.call(prepared(input), context) };
}

function asksPerson({ needsApproval }: McpServerSettings, { name, destructive }: OfferedTool) {
  if (typeof needsApproval === "boolean") return needsApproval;
  if (needsApproval === "destructive") return destructive;
  return needsApproval.some((each) => sanitizeToolName(each) === sanitizeToolName(name));
}

class RemoteCall {
  readonly #tool: OfferedTool;
  readonly #server: OpenServer;
  readonly #context: ToolContext;
  readonly #scope: RunScope;
  readonly #mayRepeat: boolean;
  /** The call on its connection, in this drive. */
  #open: OpenCall<Answer> | undefined;
  /** Answers to questions over the connection, by their ids. */
  readonly #answers = new Map<string, JsonObject>();
  /** Duration of the requests so far, without those of tasks. */
  #durationMs = 0;

  constructor(tool: OfferedTool, server: OpenServer, context: ToolContext) {
    const scope = RunScope.current();
    if (scope === undefined)
      throw new EngineError("conflict", `${tool.exposed} can be called within a run only`);
    this.#tool = tool;
    this.#server = server;
    this.#context = context;
    this.#scope = scope;
    this.#mayRepeat = tool.readOnly || tool.idempotent;
  }

  async run(input: JsonObject): Promise<ToolResult | ToolFailure> {
    const { about, owner } = this.#server;
    const fields = {
      ...about,
      agentRole: owner.agentRole,
      toolName: this.#tool.name,
      toolArgs: input,
    };
    const scope = this.#scope;
    scope.emit("mcp_tool_execution_started", fields);
    const fail = (error: string, errorType: string): ToolFailure => {
      scope.emit("mcp_tool_execution_failed", { ...fields, error, errorType });
      return toolFailure({ message: error, reason: "mcp_error", code: errorType });
    };
    let result: CallResult;
    try {
      result = await this.#result(input);
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      const isTimeout = error.code === "timeout";
      const type = error.code === "outcome_unknown" ? error.code : "server_error";
      return fail(this.#explained(error), isTimeout ? "timeout" : type);
    } finally {
      this.#open?.close(new EngineError("run_cancelled", "the call is over"));
    }
    const text = textOfResult(result);
    if (result.isError === true)
      return fail(text === "" ? "the tool failed without a message" : text, "tool_error");
    scope.emit("mcp_tool_execution_completed", {
      ...fields,
      result: cut(text, MAX_EVENT_TEXT),
      executionDurationMs: this.#durationMs,
    });
    return toolResultOf(result, about.serverName);
  }

  async #result(input: JsonObject): Promise<CallResult> {
    const { name } = this.#tool;
    let asked: JsonObject = {};
    let fault: string | undefined;
    let signIns = 0;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const answer = await this.#request(round, { name, arguments: input, ...asked });
      if (answer.kind === "result") return answer.result;
      if (answer.kind === "task")
        return followTask(this.#scope.at("task"), answer.task, {
          server: this.#server,
          toolName: name,
        });
      if (answer.kind === "sign-in") {
        const { settings, access, about } = this.#server;
        const { serverName } = about;
        if ((signIns += 1) >= MAX_SIGN_INS)
          throw new EngineError("tool_failed", `MCP server ${serverName} refuses the credentials`);
        const asking = {
          settings,
          access: access(this.#scope),
          serverName,
          url: answer.url,
          fault,
        };
        fault = await signIn(this.#scope.at(`sign-in:${round}`), asking);
        continue;
      }
      const { requests, state, isOpen } = answer;
      const answering = answersTo(this.#scope.at(`asked:${round}`), requests, {
        server: this.#server,
        toolName: name,
      });
      const open = isOpen === true ? this.#open : undefined;
      const inputResponses: InputResponses = await (open === undefined
        ? answering
        : open.holding(this.#scope, answering));
      if (isOpen === true)
        for (const [id, response] of Object.entries(inputResponses))
          this.#answers.set(id, response);
      else
        asked = { inputResponses, ...(state === undefined ? undefined : { requestState: state }) };
    }
    throw new EngineError("tool_failed", `the server asked ${MAX_ROUNDS} times and gave no answer`);
  }

  async #request(round: number, params: JsonObject): Promise<Answer> {
    const { settings, about } = this.#server;
    const scope = this.#scope.at(`request:${round}`);
    const { idempotencyKey } = this.#context;
    const recorded = await scope.step<{ readonly answer: Answer; readonly durationMs: number }>({
      kind: "tool",
      label: `${about.serverName}: ${this.#tool.name}`,
      effect: this.#mayRepeat ? "idempotent" : "once",
      retry: this.#mayRepeat ? { ...RETRY, maxAttempts: settings.maxRetries + 1 } : NO_RETRY,
      timeoutMs: settings.executionTimeoutMs,
      run: async ({ signal }) => {
        const startedAtMs = scope.clock.now();
        const sent = { ...params, _meta: { [IDEMPOTENCY_KEY]: idempotencyKey } };
        const answer = await this.#exchanged(sent, { scope, signal }).catch(
          (error: unknown): Answer => {
            if (!(error instanceof ConnectionFailed)) throw error;
            const { signInUrl: url, failure } = error;
            if (url === undefined || !failure.wasRefused) throw this.#recorded(failure);
            return { kind: "sign-in", url };
          },
        );
        const durationMs = scope.clock.now() - startedAtMs;
        if (answer.kind !== "result") return { answer, durationMs };
        return { answer: { ...answer, result: await withFiles(answer.result, scope) }, durationMs };
      },
    });
    this.#durationMs += recorded.durationMs;
    return recorded.answer;
  }

  /** Makes the call, or continues it on its open connection. */
  async #exchanged(
    sent: JsonObject,
    { scope, signal }: { readonly scope: RunScope; readonly signal: AbortSignal },
  ): Promise<Answer> {
    if (this.#open?.isUsable(isFailure) !== true)
      this.#open = new OpenCall<Answer>(this.#answers, this.#context.signal, (how) =>
        connectedTo(this.#server, { scope, ...how }, (connection) =>
          ask(connection, sent, this.#tool).catch((error: unknown): Answer => {
            const requests = requiredPages(error);
            if (Object.keys(requests).every((id) => this.#answers.has(id))) throw error;
            return { kind: "input", requests, isOpen: true };
          }),
        ),
      );
    const next = await this.#open.next(signal);
    if ("questions" in next) return { kind: "input", requests: next.questions, isOpen: true };
    this.#open = undefined;
    return next.result;
  }

  /** Returns the recorded error of a failed request, with a note if it may have had an effect. */
  #recorded({ error, wasRefused }: McpFailure): EngineError {
    if (this.#mayRepeat || wasRefused) return error;
    return new EngineError(error.code, `${error.message}; ${UNKNOWN}`, { cause: error });
  }

  #explained({ code, message }: EngineError): string {
    if (code !== "timeout") return message;
    const { settings, about } = this.#server;
    const late = `MCP server ${about.serverName} gave no answer within ${settings.executionTimeoutMs} ms`;
    return this.#mayRepeat ? late : `${late}; ${UNKNOWN}`;
  }
}

function isFailure(answer: Answer): boolean {
  return answer.kind === "result" && answer.result.isError === true;
}

async function ask(
  { client }: McpConnection,
  params: JsonObject,
  { name, parameters, description }: OfferedTool,
): Promise<Answer> {
  const answer = (await client.callTool(params as never, {
    ...REQUEST,
    allowInputRequired: true,
    toolDefinition: { name, description, inputSchema: parameters as never },
  })) as Readonly<Record<string, unknown>>;
  const { resultType, inputRequests, requestState, [TASK_RESULT]: task } = answer;
  if (isJsonObject(task)) return { kind: "task", task };
  if (resultType !== "input_required") return { kind: "result", result: readResult(answer) };
  return {
    kind: "input",
    requests: isJsonObject(inputRequests) ? inputRequests : {},
    ...(typeof requestState === "string" ? { state: requestState } : undefined),
  };
}
