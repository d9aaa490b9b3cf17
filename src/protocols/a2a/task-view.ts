// A run as a task of A2A 1.0: section 4.1 of the specification.
//
//   AT1. A task is a run, and looks the same to all callers: its state and artifacts come from the run alone.
//   AT2. A result is an artifact. Messages are for questions, and for the reason of a rejection or failure.
//   AT3. A failed run shows only its error code, because error messages can hold private data.
import { parsedObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { validateJsonSchema } from "../../base/json-schema.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { Run, RunSnapshot, Wait } from "../../runtime/run.ts";
import { openWaits, questionText, resultOf, stateOf } from "../run-state.ts";
import { acceptedParts, saysData } from "./media-types.ts";
import type { Artifact, ArtifactUpdate, Message, Part, TaskStatus, WireState } from "./schema.ts";
import type { A2AServerEvents } from "./artifacts/events.ts";
import { askedBy, saidBy, toArtifact, toParts, type TaskResult } from "./task-result.ts";

/** Notes stored with a task's run, in addition to those of every protocol. */
export type TaskNotes = {
  /** Digest of the first message of the task. */
  readonly digest: string;
  /** Identifies the sender of the task. */
  readonly sender?: string;
  /** True once this sender has answered or canceled the task, and so has received its id. */
  readonly received?: true;
  /** Newest task of the same message id, noted with the first one. */
  readonly latest?: string;
  /** Media types accepted by the caller. @default all */
  readonly modes?: readonly string[];
  /** JSON Schema of the caller for the result. */
  readonly schema?: JsonObject;
  /** Extensions activated by the caller. */
  readonly extensions?: readonly string[];
  /** Settings of the message without effect. */
  readonly ignored?: readonly string[];
  /** Final state, if it differs from the run's status. */
  readonly label?: string;
};

/** Sources of a task. */
export type TaskSource = {
  readonly snapshot: Pick<RunSnapshot, "run" | "at" | "events">;
  readonly contextId: string;
  readonly notes: TaskNotes;
  /** Changes the parts of artifacts before they are sent. @default unchanged */
  readonly filter?: (parts: readonly Part[], notes: TaskNotes) => readonly Part[];
};

const STATES = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELED",
} as const;

const TERMINAL: ReadonlySet<WireState> = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

/** True for final states. */
export function isFinal(state: WireState): boolean {
  return TERMINAL.has(state);
}

/** Returns the state of a run's task. */
export function wireStateOf(run: Pick<Run, "status" | "waits" | "held" | "output">): WireState {
  const state = STATES[stateOf(run)];
  if (state === "TASK_STATE_INPUT_REQUIRED") return interruptedBy(openWaits(run));
  if (state !== "TASK_STATE_COMPLETED") return state;
  const { state: said = "completed" } = saidBy(run) ?? {};
  if (said === "rejected") return "TASK_STATE_REJECTED";
  return said === "failed" ? "TASK_STATE_FAILED" : state;
}

/** A missing credential takes precedence over other missing input. */
export function interruptedBy(waits: readonly Pick<Wait, "data">[]): WireState {
  return waits.some((wait) => askedBy(wait).isAuth)
    ? "TASK_STATE_AUTH_REQUIRED"
    : "TASK_STATE_INPUT_REQUIRED";
}

/** Returns the status of a task. */
export function statusOf({ snapshot, contextId }: TaskSource): TaskStatus {
  const { run, at } = snapshot;
  const state = wireStateOf(run);
  const message = messageOf(run, contextId);
  return { state, ...(message === undefined ? undefined : { message }), timestamp: at };
}

function messageOf(run: Run, contextId: string): Message | undefined {
  const waits = openWaits(run);
  if (STATES[stateOf(run)] === "TASK_STATE_INPUT_REQUIRED")
    return questionMessage(waits, { id: run.id, contextId });
  if (run.status === "failed")
    return agentMessage("failed", { id: run.id, contextId }, [
      { text: `The task failed: ${run.error?.code ?? "internal"}.` },
    ]);
  const { message, reply } = (run.status === "completed" ? saidBy(run) : undefined) ?? {};
  const said = message ?? reply;
  return said === undefined
    ? undefined
    : agentMessage("status", { id: run.id, contextId }, toParts(said));
}

type TaskIds = { readonly id: string; readonly contextId: string };

/** Returns the question of a task: its text, with the possible answers as metadata. */
export function questionMessage(waits: readonly Wait[], task: TaskIds): Message {
  const open = waits.map(({ key, prompt, choices, schema, expiresAt }) => ({
    key,
    ...(prompt === undefined ? undefined : { prompt }),
    ...(choices === undefined ? undefined : { choices }),
    ...(schema === undefined ? undefined : { schema }),
    ...(expiresAt === undefined ? undefined : { expiresAt }),
  }));
  const text = waits.map(questionText).join("\n\n");
  const name = `question:${waits.map(({ key }) => key).join(",")}`;
  return {
    ...agentMessage(name, task, [{ text }]),
    metadata: { waits: open },
  };
}

function agentMessage(name: string, task: TaskIds, parts: readonly Part[]): Message {
  return {
    messageId: `${task.id}:${name}`,
    role: "ROLE_AGENT",
    parts,
    contextId: task.contextId,
    taskId: task.id,
  };
}

/** Returns the message of a run whose whole answer is a message; undefined if its answer is a task. */
export function replyOf({
  snapshot: { run },
  contextId,
  ...source
}: TaskSource): Message | undefined {
  const reply = run.status === "completed" ? saidBy(run)?.reply : undefined;
  if (reply === undefined) return undefined;
  const parts = shownParts(toParts(reply), source);
  return { messageId: `${run.id}:reply`, role: "ROLE_AGENT", parts, contextId };
}

/** Lists all present artifacts of a task: first those sent during the run, then those of the result. */
export function artifactsOf(source: TaskSource): readonly Artifact[] {
  const artifacts = new Map<string, Artifact>();
  for (const event of source.snapshot.events) {
    const update = artifactUpdateOf(event, source);
    if (update === undefined) continue;
    const { artifact, append = false } = update;
    const before = append ? artifacts.get(artifact.artifactId) : undefined;
    artifacts.set(
      artifact.artifactId,
      before === undefined
        ? artifact
        : { ...before, ...artifact, parts: [...before.parts, ...artifact.parts] },
    );
  }
  for (const artifact of resultArtifacts(source)) artifacts.set(artifact.artifactId, artifact);
  return [...artifacts.values()];
}

/** Returns the artifact update of a run's event; undefined for other events. */
export function artifactUpdateOf(
  event: RunEvent,
  { contextId, ...source }: Omit<TaskSource, "snapshot">,
): ArtifactUpdate | undefined {
  if (event.type !== "a2a_artifact_updated") return undefined;
  const { artifactId, name, description, parts, metadata, append, lastChunk } =
    event as A2AServerEvents["a2a_artifact_updated"] & Pick<RunEvent, "runId">;
  return {
    taskId: event.runId,
    contextId,
    artifact: {
      artifactId,
      ...(name === undefined ? undefined : { name }),
      ...(description === undefined ? undefined : { description }),
      ...(metadata === undefined ? undefined : { metadata }),
      parts: shownParts(parts, source),
    },
    append: append === true,
    lastChunk: lastChunk === true,
  };
}

/** Returns the id of the result's artifact. */
export function resultId(taskId: string): string {
  return `result_${taskId}`;
}

/** Returns the result of a completed run; an empty list for other runs. */
export function resultArtifacts(source: TaskSource): readonly Artifact[] {
  const { run } = source.snapshot;
  if (run.status !== "completed") return [];
  const said = saidBy(run);
  const artifacts = said === undefined ? defaultResult(run, source.notes) : saidArtifacts(said);
  return artifacts.map((artifact) => ({ ...artifact, parts: shownParts(artifact.parts, source) }));
}

function saidArtifacts({ artifacts = [], reply }: TaskResult): readonly Artifact[] {
  return reply === undefined ? artifacts.map(toArtifact) : [];
}

function defaultResult(run: Run, { schema }: TaskNotes): readonly Artifact[] {
  const { text, data = asked(text, schema) } = resultOf(run);
  // Third-party clients read a result only from its text parts, so data is repeated as text.
  const words = data === undefined || !isJsonOf(text, data) ? text : textOfData(text, data);
  const parts: Part[] = [
    ...(words === "" ? [] : [{ text: words }]),
    ...(data === undefined ? [] : [{ data, mediaType: "application/json" }]),
  ];
  return parts.length === 0 ? [] : [{ artifactId: resultId(run.id), name: "result", parts }];
}

/** Returns the data in a text, if the caller sent a schema and the text has data of this schema. */
function asked(text: string, schema: JsonObject | undefined): JsonValue | undefined {
  if (schema === undefined) return undefined;
  const json = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1] ?? text;
  try {
    const data = JSON.parse(json) as JsonValue;
    return validateJsonSchema(schema, data).length === 0 ? data : undefined;
  } catch {
    return undefined;
  }
}

/** True if the text is the data's own JSON, or JSON of any object: then the data is its parsed form. */
function isJsonOf(text: string, data: JsonValue): boolean {
  if (typeof data === "string") return text === data;
  return saysData(text, data) || parsedObject(text) !== undefined;
}

/** Returns the original text if it is the data's JSON, otherwise new JSON. */
function textOfData(text: string, data: JsonValue): string {
  return typeof data === "string" || saysData(text, data) ? text : JSON.stringify(data);
}

function shownParts(
  parts: readonly Part[],
  { notes, filter }: Pick<TaskSource, "notes" | "filter">,
): readonly Part[] {
  return acceptedParts(filter === undefined ? parts : filter(parts, notes), notes.modes ?? []);
}
