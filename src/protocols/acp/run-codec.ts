// A task in the view of its run.
//
//   ACT1. A task's status is that of its run: waiting for a person is input-required, waiting for anything else is
//         working.
//   ACT2. A yielded task is input-required in any state of its run, and an ended one changes no more.
import { cut } from "../../base/cut.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import type { Run, Wait } from "../../runtime/run.ts";
import { resultOf } from "../../base/output-result.ts";
import { answerFor } from "../caller-message.ts";
import { Refusal } from "./refusal.ts";
import type { StoredTask } from "./store.ts";
import {
  getTaskResult,
  isEnded,
  type A2AMessage,
  type Artifact,
  type TaskState,
  type YieldPayload,
} from "./task.ts";

/** Limits of a task's stored states, and of their messages in UTF-16 units. */
const MAX_HISTORY = 100;
const MAX_REASON_LENGTH = 2_000;

/** A task in most answers. */
export type TaskView = {
  readonly id: string;
  readonly sessionId: string;
  readonly status: TaskState;
  readonly result: string;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly TaskState[];
};

/** Returns the state of the task from its run (ACT1). */
export function stateOf(run: Run, nowMs: number): TaskState {
  const { status, error, createdAt, startedAt = createdAt, finishedAt } = run;
  const endedMs = finishedAt === undefined ? nowMs : Date.parse(finishedAt);
  switch (status) {
    case "completed":
      return { status: "completed", timestamp: endedMs };
    case "failed":
      return {
        status: "failed",
        message: cut(error?.message ?? "failed", MAX_REASON_LENGTH),
        timestamp: endedMs,
      };
    case "cancelled":
      return { status: "canceled", timestamp: endedMs };
    case "waiting": {
      const wait = personsWait(run);
      if (wait !== undefined && run.held === undefined)
        return { status: "input-required", message: reasonOf(wait), timestamp: nowMs };
      return { status: "working", timestamp: nowMs };
    }
    default:
      return { status: "working", timestamp: Date.parse(startedAt) };
  }
}

/** Appends a state to the history, if it differs from the last. */
export function advanced(history: readonly TaskState[], state: TaskState): readonly TaskState[] {
  const last = history.at(-1);
  if (last === undefined) return [state];
  const isSame = last.status === state.status && (last.message ?? "") === (state.message ?? "");
  // A task may work for several reasons; only the first matters.
  if (isSame || isEnded(last.status) || (last.status === "working" && state.status === "working"))
    return history;
  const skipsWork = last.status === "submitted" && state.status !== "working";
  const between: TaskState[] = skipsWork ? [{ status: "working", timestamp: state.timestamp }] : [];
  return withState([...history, ...between], state);
}

/** Appends a state to the history. The first and the newest states stay. */
export function withState(history: readonly TaskState[], state: TaskState): readonly TaskState[] {
  const [first, ...rest] = [...history, state];
  return first === undefined ? [state] : [first, ...rest.slice(1 - MAX_HISTORY)];
}

/** Returns the present state of the task. */
export function statusOf({ history, createdAtMs }: StoredTask): TaskState {
  return history.at(-1) ?? { status: "submitted", timestamp: createdAtMs };
}

/** Returns the task for clients, without results for callers who may not read runs. */
export function taskView(
  task: StoredTask,
  { run, shown = true }: { readonly run: Run | undefined; readonly shown?: boolean },
): TaskView {
  const status = statusOf(task);
  const artifacts = shown && status.status === "completed" ? artifactsOf(run) : [];
  const result = shown ? getTaskResult({ artifacts, messages: [], status }) : "";
  const { id, sessionId, history } = task;
  return { id, sessionId, status, result, artifacts, history };
}

/** Returns the whole task, with its messages and the id of its run. */
export function detailedView(task: StoredTask, run: Run | undefined): object {
  const view = taskView(task, { run });
  const { messages, metadata } = task;
  const yieldPayload = task.yieldPayload ?? waitingPayload(view.status, run);
  const said: A2AMessage[] =
    view.artifacts.length === 0
      ? []
      : [{ role: "agent", parts: [{ type: "text", text: view.result }] }];
  return {
    ...view,
    ...(run === undefined ? undefined : { runId: run.id }),
    messages: [...messages, ...said],
    metadata,
    yieldPayload,
  };
}

/** Returns the artifacts of the run: one for each task of a crew, the last of them the whole result. */
export function artifactsOf(run: Run | undefined): readonly Artifact[] {
  if (run?.output === undefined) return [];
  const { kind, output, name } = run;
  const { tasks, artifacts, text } = isJsonObject(output) ? output : {};
  if (kind === REMOTE_KIND) {
    const remote = (artifacts ?? []) as unknown as readonly Artifact[];
    return remote.length > 0 ? remote : [textArtifact(name, text ?? "")];
  }
  const parts = Array.isArray(tasks) ? tasks.filter(isJsonObject) : [];
  const before = parts.slice(0, -1).map((each) => textArtifact(each["name"], each["raw"]));
  return [...before, textArtifact(parts.at(-1)?.["name"] ?? name, resultOf(run).text)];
}

/** Kind of the runs for remote agents. */
export const REMOTE_KIND = "remote-agent";

function textArtifact(name: JsonValue | undefined, value: JsonValue | undefined): Artifact {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return { name: typeof name === "string" ? name : "result", parts: [{ type: "text", text }] };
}

/** Returns the first open wait that a person can answer. */
export function personsWait({ waits }: Run): Wait | undefined {
  return waits.find(({ kind }) => kind === "human" || kind === "input");
}

/** Returns the yield of a run waiting for a person, in the protocol's terms. */
function waitingPayload(status: TaskState, run: Run | undefined): YieldPayload | undefined {
  const wait = run === undefined ? undefined : personsWait(run);
  if (wait === undefined || status.status !== "input-required") return undefined;
  const { key, kind, choices, schema, subject, data } = wait;
  return {
    reason: reasonOf(wait),
    state: { key, kind, choices, schema, subject, data },
    resumeHint: hintOf(wait),
    timestamp: status.timestamp,
  };
}

function hintOf({ choices, schema }: Wait): string {
  if (choices !== undefined) return `resume with a message that is one of: ${choices.join(", ")}`;
  if (schema !== undefined) return "resume with a state that fits the schema";
  return "resume with a message, or with the state { approve, feedback }";
}

function reasonOf({ prompt }: Wait): string {
  return prompt === undefined || prompt === ""
    ? "an answer is needed"
    : cut(prompt, MAX_REASON_LENGTH);
}

/** Returns the key of the question that a resume answers, if it names one. */
export function keyIn(state: JsonValue | undefined): string | undefined {
  const key = isJsonObject(state ?? null) ? (state as JsonObject)["key"] : undefined;
  return typeof key === "string" ? key : undefined;
}

/** Returns the answer of a resume to a wait. */
export function answerOf(
  wait: Wait,
  { text, state }: { readonly text: string | undefined; readonly state: JsonValue | undefined },
): ResumeRequest {
  const fields: JsonObject = isJsonObject(state) ? state : {};
  const { approve, feedback, value } = fields;
  const own = {
    ...(typeof approve === "boolean" ? { approve } : undefined),
    ...(typeof feedback === "string" ? { feedback } : undefined),
    ...(value === undefined ? undefined : { value }),
  };
  if (text === undefined && state === undefined)
    throw new Refusal(400, "message or state is required: the task waits for an answer");
  if (Object.keys(own).length > 0)
    return { key: wait.key, ...(text === undefined ? undefined : { feedback: text }), ...own };
  if (text === undefined) return { key: wait.key, value: state ?? null };
  return answerFor(wait, { text, ...(wait.schema !== undefined && { data: state }) });
}
