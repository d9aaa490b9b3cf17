// A call as a task of the server: the extension `io.modelcontextprotocol/tasks` of MCP 2026-07-28.
//
//   XK1. A task is polled with durable timers, up to the configured limit: they need no compute, and after a crash the
//        same task continues.
//   XK2. A question of the task is asked once, even if the server lists it repeatedly.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { withFiles } from "./call-files.ts";
import { readResult, type CallResult } from "./call-result.ts";
import { REQUEST } from "./connection.ts";
import { answersTo, type AskingCall, type InputRequests } from "./input-requests.ts";
import { connected } from "./open-server.ts";
import { TASK_METHOD, TASK_RESULT } from "./repairing-transport.ts";

/** State of a task, as reported by the server. */
export type TaskState = JsonObject;

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const RETRY = {
  maxAttempts: 5,
  initialDelayMs: 1_000,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 300_000,
};

/** Waits for the end of a task. Fails with `tool_failed` for a failed, cancelled or overdue task. */
export async function followTask(
  scope: RunScope,
  started: TaskState,
  call: AskingCall,
): Promise<CallResult> {
  const { server } = call;
  const { taskId } = started;
  if (typeof taskId !== "string" || taskId === "")
    throw new EngineError("tool_failed", "the server began a task without an id");
  const answered = new Set<string>();
  let state = started;
  let waitedMs = 0;
  for (let poll = 1; ; poll++) {
    const ended = endOf(state);
    if (ended !== undefined) return ended;
    const open = Object.entries(requestsOf(state)).filter(([key]) => !answered.has(key));
    if (open.length > 0) {
      const requests = Object.fromEntries(open);
      const inputResponses = await answersTo(scope.at(`asked:${poll}`), requests, call);
      for (const [key] of open) answered.add(key);
      await send(scope.at(`update:${poll}`), call, ["tasks/update", { taskId, inputResponses }]);
    } else {
      const delayMs = delayBefore(poll, state);
      if (waitedMs + delayMs > server.settings.taskTimeoutMs) {
        await send(scope.at("cancel"), call, ["tasks/cancel", { taskId }]).catch(() => undefined);
        throw new EngineError(
          "tool_failed",
          `the server's task ${taskId} took longer than ${server.settings.taskTimeoutMs} ms and was cancelled`,
        );
      }
      waitedMs += delayMs;
      await scope.at(`poll:${poll}`).sleep(delayMs);
    }
    state = await send(scope.at(`state:${poll}`), call, ["tasks/get", { taskId }]);
  }
}

/** Returns the server's own interval, or else a growing one. */
function delayBefore(poll: number, { pollIntervalMs }: TaskState): number {
  if (typeof pollIntervalMs === "number" && Number.isFinite(pollIntervalMs))
    return Math.min(Math.max(pollIntervalMs, MIN_DELAY_MS), 24 * 3_600_000);
  return Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 1.5 ** (poll - 1));
}

function requestsOf({ status, inputRequests }: TaskState): InputRequests {
  return status === "input_required" && isJsonObject(inputRequests) ? inputRequests : {};
}

/** Returns the result of an ended task. */
function endOf({ status, result, error, statusMessage }: TaskState): CallResult | undefined {
  switch (status) {
    case "working":
    case "input_required":
      return undefined;
    case "completed":
      if (isJsonObject(result)) return readResult(result);
      throw new EngineError("tool_failed", "the server's task ended without a result");
    case "failed":
      throw new EngineError(
        "tool_failed",
        `the server's task failed: ${words(error, statusMessage)}`,
      );
    case "cancelled":
      throw new EngineError("tool_failed", "the server's task was cancelled");
    default:
      throw new EngineError(
        "tool_failed",
        `the server's task has the status ${JSON.stringify(status ?? null)}, which is unknown`,
      );
  }
}

function words(error: JsonValue | undefined, statusMessage: JsonValue | undefined): string {
  const message = isJsonObject(error) ? error["message"] : statusMessage;
  return typeof message === "string" ? message.slice(0, 1_000) : "it does not say why";
}

/** Sends a request of the extension as a step. All of them can be repeated. */
function send(
  scope: RunScope,
  { server }: AskingCall,
  [method, params]: readonly [string, JsonObject],
): Promise<TaskState> {
  return scope.step<TaskState>({
    kind: "tool",
    label: `${server.about.serverName}: ${method}`,
    effect: "idempotent",
    retry: RETRY,
    timeoutMs: server.settings.executionTimeoutMs,
    run: ({ signal }) =>
      connected(server, { scope, signal }, async ({ client }) => {
        const answer = await client.request(
          { method: `${TASK_METHOD}${method}`, params: { ...params } },
          z.looseObject({ [TASK_RESULT]: z.custom<JsonObject>(isJsonObject) }),
          REQUEST,
        );
        const { [TASK_RESULT]: state } = answer;
        const { result } = state;
        if (!isJsonObject(result)) return state;
        return { ...state, result: { ...(await withFiles(readResult(result), scope)) } };
      }),
  });
}
