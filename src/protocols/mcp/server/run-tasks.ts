// The tasks extension: a task is a run.
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { PartHost } from "../../../parts/part.ts";
import { isTerminal, type Run } from "../../../runtime/run.ts";
import type { ProtocolRuns } from "../../protocol-runs.ts";
import { stateOf } from "../../run-state.ts";
import { answerIn, isAskable, questionsIn, type ClientAbilities } from "./questions.ts";
import { toolResult } from "./run-results.ts";

/** The name of the extension. */
export const TASKS = "io.modelcontextprotocol/tasks";

const POLL_MS = 1_000;
/** Errors of the engine, not of the run: the task failed. All other errors are results with the error. */
const FAILED_CODES = new Set(["internal", "crash_budget_exceeded", "journal_mismatch"]);

/** Returns a run as a task, without its result. */
export function taskOf(run: Run): JsonObject {
  const { id, createdAt, startedAt = createdAt, finishedAt = startedAt } = run;
  return {
    taskId: id,
    status: statusOf(run),
    createdAt,
    lastUpdatedAt: finishedAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

/** Returns a run as a task, with its result or its questions to the client. */
export function detailedTask(run: Run, abilities: ClientAbilities): JsonObject {
  const task = taskOf(run);
  const { status } = task;
  if (status === "failed")
    return { ...task, error: { code: -32603, message: run.error?.message ?? "the run failed" } };
  if (status === "completed") return { ...task, result: toolResult(run) };
  if (status !== "input_required") return task;
  const questions = questionsIn(run).filter((each) => isAskable(each, abilities));
  return {
    ...task,
    inputRequests: Object.fromEntries(questions.map(({ name, request }) => [name, { ...request }])),
  };
}

/** Passes answers to a run's questions; others are ignored. */
export async function updateTask(
  runs: ProtocolRuns,
  tenant: string,
  { taskId, responses }: { readonly taskId: string; readonly responses: JsonObject },
): Promise<void> {
  const { run, thread } = await runs.find(tenant, taskId);
  for (const question of questionsIn(run)) {
    const { name, wait } = question;
    if (!Object.hasOwn(responses, name)) continue;
    const data = answerIn(question, responses[name]);
    if (data === undefined) continue;
    const message = {
      id: `answer:${wait.key}`,
      role: "user",
      content: JSON.stringify(data),
    } as const;
    await runs.answer(tenant, { thread, run }, { message, data, wait }).catch(ignoreAnswered);
  }
}

/** Cancels the run of a task. An ended run stays as it is. */
export async function cancelTask(
  runs: ProtocolRuns,
  host: Pick<PartHost, "runs">,
  { tenant, taskId }: { readonly tenant: string; readonly taskId: string },
): Promise<void> {
  const { run } = await runs.find(tenant, taskId);
  if (!isTerminal(run.status)) await host.runs.cancel(tenant, taskId).catch(ignoreAnswered);
}

const STATUS = {
  submitted: "working",
  working: "working",
  "input-required": "input_required",
  completed: "completed",
  canceled: "cancelled",
} as const;

function statusOf(run: Run): "working" | "input_required" | "completed" | "failed" | "cancelled" {
  const state = stateOf(run);
  if (state !== "failed") return STATUS[state];
  return FAILED_CODES.has(run.error?.code ?? "") ? "failed" : "completed";
}

/** Ignores an answer that came too late: the question was answered, or the run has ended. */
function ignoreAnswered(error: unknown): void {
  if (!EngineError.is(error) || error.code !== "conflict") throw error;
}
