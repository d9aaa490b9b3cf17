// Translates runs to CrewAI's hosted API, in which a kickoff's id is the run's id.
//
//   CA1. A task's id is its name; of several tasks with one name, the step key. Requests may have either.
import {
  isJsonObject,
  jsonText,
  jsonOrText,
  type JsonObject,
  type JsonValue,
} from "../../base/json.ts";
import type { EventType } from "../../events/run-event.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import { isTerminal, type Run, type Wait } from "../../runtime/run.ts";
import type { WebhookDelivery } from "../../runtime/deliveries/webhooks.ts";
import type { CrewaiResult, CrewaiStatus, PendingHumanInput } from "./schema.ts";

/** Name of the webhook format. */
export const CREWAI_FORMAT = "crewai";

/** Events of each of the three addresses. */
export const CREWAI_EVENTS = {
  taskWebhookUrl: ["task_completed", "human_feedback_requested"],
  stepWebhookUrl: ["tool_usage_finished", "tool_usage_error", "agent_execution_completed"],
  crewWebhookUrl: ["run_completed", "run_failed", "run_cancelled"],
} as const satisfies Record<string, readonly EventType[]>;

export function statusOf(run: Run): CrewaiStatus {
  if (run.status === "completed")
    return {
      status: "completed",
      state: "SUCCESS",
      result: resultOf(run),
      execution_time: secondsBetween(run),
    };
  if (isTerminal(run.status))
    return {
      status: "error",
      state: "FAILED",
      error: run.error?.message ?? run.status,
      execution_time: secondsBetween(run),
    };
  const { tasks = [], waits } = run;
  const [wait] = waits.filter(isForPeople);
  const waiting = tasks.find(({ key }) => wait !== undefined && key === taskKeyOf(wait.key));
  const current =
    waiting ??
    tasks.find(({ status }) => status === "running") ??
    tasks.find(({ status }) => status === "pending");
  return {
    status: "running",
    state: "RUNNING",
    current_task: current === undefined ? null : taskIdOf(run, current.key),
    progress: {
      completed_tasks: tasks.filter(({ status }) => status === "completed").length,
      total_tasks: tasks.length,
    },
    ...(wait === undefined ? undefined : { pending_human_input: pendingInput(run, wait) }),
  };
}

/** Returns the open waits of a task for people. */
export function waitsOfTask({ waits }: Run, taskKey: string): readonly Wait[] {
  return waits.filter((wait) => isForPeople(wait) && taskKeyOf(wait.key) === taskKey);
}

/**
 * Returns the step key of a task, by its key or its name. Of several tasks with this name, one waiting for a person
 * takes precedence.
 */
export function findTask(run: Run, taskId: string): string | undefined {
  const { tasks = [] } = run;
  const isKey = tasks.some(({ key }) => key === taskId) || waitsOfTask(run, taskId).length > 0;
  if (isKey) return taskId;
  const named = tasks.filter(({ name }) => name === taskId);
  return (named.find(({ key }) => waitsOfTask(run, key).length > 0) ?? named[0])?.key;
}

/** Returns the id of a task in answers (CA1). */
export function taskIdOf({ tasks = [] }: Run, key: string): string {
  const name = tasks.find((task) => task.key === key)?.name;
  const namesakes = tasks.filter((task) => task.name === name);
  return name === undefined || namesakes.length > 1 ? key : name;
}

/** True if all other tasks of the run are completed. */
export function isLastTask({ tasks = [] }: Run, taskKey: string): boolean {
  return tasks.every(({ key, status }) => key === taskKey || status === "completed");
}

/** Converts a person's answer for the wait. */
export function answerTo(
  wait: Wait,
  answer: { readonly humanFeedback: string; readonly isApprove: boolean },
): ResumeRequest {
  const { humanFeedback: feedback, isApprove: approve } = answer;
  if (wait.choices !== undefined) return { key: wait.key, value: feedback };
  if (wait.schema !== undefined) return { key: wait.key, value: jsonOrText(feedback) };
  return { key: wait.key, feedback, approve };
}

/** Returns the webhook body for an event; undefined for events of nested crews. `seq` orders the bodies of a run. */
export function crewaiBody({ event, meta, run }: WebhookDelivery): JsonValue | undefined {
  const { runId: kickoff_id, seq } = event;
  const more = { kickoff_id, seq, ...(meta === undefined ? undefined : { meta }) };
  const key = taskKeyOf(event.path);
  const task = { ...more, task_id: taskIdOf(run(), key) };
  switch (event.type) {
    case "task_completed":
      if (event.path !== key) return undefined;
      return { ...task, output: event.output, agent: event.agentRole };
    case "human_feedback_requested":
      return {
        ...task,
        output: event.output,
        agent: event.agentRole ?? "",
        pending_human_input: true,
      };
    case "tool_usage_finished":
      return { ...task, ...stepOf(event), result: event.output };
    case "tool_usage_error":
      return { ...task, ...stepOf(event), result: event.error };
    case "agent_execution_completed":
      return { ...task, agent: event.agentRole, result: event.output };
    default: {
      const { state: _, ...ended } = statusOf(run());
      return { ...more, ...ended } as JsonObject;
    }
  }
}

function stepOf(event: {
  readonly agentRole: string;
  readonly toolName: string;
  readonly toolArgs: JsonValue;
}): JsonObject {
  return { agent: event.agentRole, tool: event.toolName, input: event.toolArgs };
}

function resultOf(run: Run): CrewaiResult {
  const { output, tasks: states = [] } = run;
  const { tasks } = asRecord(output);
  const outputs = Array.isArray(tasks) ? tasks.map(asRecord) : [];
  return {
    output: jsonText(asRecord(output)["raw"] ?? output),
    tasks: outputs.map(({ name, raw: text, agent }, index) => {
      const state =
        states.length === outputs.length
          ? states[index]
          : states.find((each) => each.name === name);
      return {
        task_id: state === undefined ? jsonText(name) : taskIdOf(run, state.key),
        output: jsonText(text),
        agent: jsonText(agent),
        execution_time: state === undefined ? 0 : secondsBetween(state),
      };
    }),
  };
}

function asRecord(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** True for waits that a person can answer. */
export function isForPeople({ kind }: { readonly kind: string }): boolean {
  return kind === "human" || kind === "input";
}

function pendingInput(run: Run, { key, prompt = "", subject = prompt }: Wait): PendingHumanInput {
  return { task_id: taskIdOf(run, taskKeyOf(key)), output: subject, prompt };
}

/** Returns the task key of a path in a run: its first segment. */
export function taskKeyOf(path: string): string {
  return path.split("/", 1)[0] ?? path;
}

function secondsBetween(times: {
  readonly startedAt?: string;
  readonly finishedAt?: string;
}): number {
  const { startedAt, finishedAt } = times;
  if (startedAt === undefined || finishedAt === undefined) return 0;
  return (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
}
