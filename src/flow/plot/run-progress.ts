// Progress of a flow's methods in a run, by the run's events.
//
//   RP1. Progress is a function of the events alone, in their order: a picture made later, or elsewhere, is the same.
//   RP2. Only the run's own flow counts, not flows started by its methods.
//
// The page of a live run contains the source of `applyEvent` and `describeProgress`. They therefore use only their
// parameters, and name no inner functions, because bundlers mark those with calls to their own helpers.
import { eventStreamParser } from "../../base/event-stream-parser.ts";
import { STATUS_EVENTS, type GraphEvent } from "../../wire/node-states.ts";
import { isRouter, type FlowDefinition } from "../flow-definition.ts";

export type MethodState = "idle" | "running" | "waiting" | "done" | "failed" | "stopped";

export type MethodProgress = {
  /** Begun executions. */
  count: number;
  /** Duration of the ended executions, in milliseconds, including waits for people. */
  durationMs: number;
  /** Start times of the current executions, in milliseconds since the epoch. */
  open: Record<string, number>;
  /** Open waits of the current executions. */
  waits: Record<string, { kind: string; prompt: string }>;
  /** Number of returns of each label, for a router. */
  labels: Record<string, number> | null;
  /** Error of the last ended execution, if it failed. */
  error: string | null;
};

export type RunProgress = {
  /** `seq` of the last applied event. */
  seq: number;
  status: string;
  methods: Record<string, MethodProgress>;
};

/** Event of a run's stream: its type, place and time, and further fields. */
export type ProgressEvent = Pick<
  GraphEvent,
  "seq" | "type" | "path" | "at" | "key" | "kind" | "error" | "result"
> & { readonly prompt?: string };

/** Events that change the progress. */
export const PROGRESS_EVENTS = [
  ...STATUS_EVENTS,
  "method_execution_started",
  "method_execution_finished",
  "method_execution_failed",
] as const;

/** Returns the progress of a run without events. */
export function noProgress({ methods }: FlowDefinition): RunProgress {
  const each = Object.entries(methods).map(([name, method]): [string, MethodProgress] => [
    name,
    {
      count: 0,
      durationMs: 0,
      open: {},
      waits: {},
      labels: isRouter(method) ? {} : null,
      error: null,
    },
  ]);
  return { seq: 0, status: "queued", methods: Object.fromEntries(each) };
}

/** Applies an event; a repeated event changes nothing. */
export function applyEvent(progress: RunProgress, event: ProgressEvent): void {
  if (event.seq === undefined || event.seq <= progress.seq) return;
  progress.seq = event.seq;
  const { type } = event;
  if (type === "run_waiting" || type === "run_paused") progress.status = type.slice(4);
  else if (type === "run_completed" || type === "run_failed" || type === "run_cancelled") {
    progress.status = type.slice(4);
  } else progress.status = "running";
  const where = type.startsWith("wait_") ? (event.key ?? "") : event.path;
  const execution = where.split("/")[0] ?? "";
  const isOwn = type.startsWith("wait_") || execution === where;
  const name = /^method:([A-Za-z_][A-Za-z0-9_]*)(?:~\d+)?$/.exec(execution)?.[1];
  if (name === undefined || !isOwn || !Object.hasOwn(progress.methods, name)) return;
  const method = progress.methods[name];
  if (method === undefined) return;
  const atMs = Date.parse(event.at);
  if (type === "method_execution_started") {
    method.count++;
    method.open[execution] = atMs;
    return;
  }
  if (type === "wait_opened") {
    method.waits[where] = {
      kind: event.kind ?? "",
      prompt: (event.prompt ?? "").split("\n---\n").at(-1) ?? "",
    };
    return;
  }
  if (type === "wait_settled") {
    delete method.waits[where];
    return;
  }
  if (type !== "method_execution_finished" && type !== "method_execution_failed") return;
  const beganAtMs = method.open[execution];
  // In a fork, copied executions end without a start.
  if (beganAtMs === undefined) method.count++;
  else method.durationMs += atMs - beganAtMs;
  delete method.open[execution];
  method.error = type === "method_execution_failed" ? String(event.error) : null;
  const label = event.result;
  const isLabel =
    typeof label === "string" || typeof label === "number" || typeof label === "boolean";
  if (method.labels !== null && isLabel && method.error === null)
    method.labels[String(label)] = (method.labels[String(label)] ?? 0) + 1;
}

/** Describes a method at a time, in milliseconds since the epoch; with null, running executions add no time. */
export function describeProgress(
  method: MethodProgress,
  status: string,
  nowMs: number | null,
): { state: MethodState; text: string; time: string } {
  const begun = Object.values(method.open);
  const ended = status === "completed" || status === "failed" || status === "cancelled";
  const kinds = Object.values(method.waits).map((wait) => wait.kind);
  let state: MethodState = "idle";
  let text = "not yet";
  if (begun.length > 0) {
    state = ended ? "stopped" : "running";
    text = ended ? "stopped" : "running";
    if (!ended && (kinds.includes("human") || kinds.includes("input"))) {
      state = "waiting";
      text = "waiting";
    } else if (!ended && kinds.includes("timer")) {
      state = "waiting";
      text = "sleeping";
    }
  } else if (method.error !== null) {
    state = "failed";
    text = "failed";
  } else if (method.count > 0) {
    state = "done";
    text = "done";
  } else if (ended) {
    text = "not run";
  }
  if (method.count > 1) text += " ×" + method.count;
  let ms = method.durationMs;
  if (nowMs !== null && !ended) for (const atMs of begun) ms += Math.max(0, nowMs - atMs);
  let time = "";
  if (method.count > 0 && (ms > 0 || begun.length === 0)) {
    const units: Array<[number, string]> = [
      [86_400_000, " d"],
      [3_600_000, " h"],
      [60_000, " min"],
      [1000, " s"],
      [1, " ms"],
    ];
    for (const [size, unit] of units) {
      if (ms < size && size > 1) continue;
      const amount = ms / size;
      time = (amount < 10 && size > 1 ? amount.toFixed(1) : amount.toFixed(0)) + unit;
      break;
    }
  }
  return { state, text, time };
}

/** Undefined for a method the flow does not have. */
export function progressOf({ methods }: RunProgress, name: string): MethodProgress | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

/** Returns how often a router returned a label. */
export function timesReturned(
  progress: RunProgress,
  { router, label }: { readonly router?: string; readonly label?: string },
): number {
  const labels = router === undefined ? undefined : progressOf(progress, router)?.labels;
  return labels && label !== undefined && Object.hasOwn(labels, label) ? (labels[label] ?? 0) : 0;
}

/** Reads a stream of server-sent events to its end and returns the progress. */
export async function readProgress(
  definition: FlowDefinition,
  body: ReadableStream<Uint8Array> | null,
): Promise<RunProgress> {
  const progress = noProgress(definition);
  const parse = eventStreamParser();
  const decoder = new TextDecoder();
  for await (const chunk of body ?? [])
    for (const { data } of parse(decoder.decode(chunk, { stream: true })))
      applyEvent(progress, JSON.parse(data) as ProgressEvent);
  return progress;
}
