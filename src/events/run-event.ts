// Events: the progress of a run, as listeners, dashboards and streams see it.
//
// The core declares the events of runs, steps, waits and model calls. Each feature declares its own in its `events.ts`,
// by merging them into `EventPayloads`, and lists their names there with `eventTypes`. The names are common in the
// field.
//
// Names define the pairs of start and end: `<x>_completed`, `<x>_finished`, `<x>_failed` and `<x>_error` end the scope
// opened by `<x>_started` at the same path, and `<x>_received` ends the scope opened by `<x>_requested`. A run's own
// end is different: it ends everything.
import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { MailMode } from "./mail.ts";
import type { LiveType, ModelEvents } from "./model-events.ts";

/** Runs, their steps and their waits. */
export interface CoreEvents {
  run_started: { kind: string; name: string; inputs: JsonObject };
  run_waiting: { waits: readonly string[] };
  run_resumed: object;
  run_paused: object;
  /** The deployed code does not fit the run, which waits for matching code. */
  run_held: { code: string; message: string; key?: string; codeVersion: string };
  run_completed: { output: JsonValue };
  run_failed: { error: ErrorRecord };
  run_cancelled: { reason?: string };
  step_restarted: { key: string; attempt: number };
  /** A finished step has another input in the present code; its recorded result stays. */
  step_changed: { key: string; kind: string };
  step_retrying: { key: string; attempt: number; delayMs: number; error: ErrorRecord };
  wait_opened: {
    key: string;
    kind: string;
    prompt?: string;
    dueAt?: string;
    /** Id of the child run, for kind `child`. */
    childRunId?: string;
  };
  /** `expired`: the wait reached its due time, or its step ended without the answer. */
  wait_settled: { key: string; expired?: boolean; by?: string };
  /** An outside system sent an event to the run. */
  outside_event_received: { name: string; eventId?: string; outcome: "delivered" | "kept" };
  /** A stored event did not fit the wait opened for it, and was dropped. */
  outside_event_refused: { name: string; eventId?: string; reason: string };
  /** A message was sent to the run under way. `speaker` is its author's name. */
  message_received: { messageId: string; mode: MailMode; to?: string; speaker?: string };
  /** A model call has seen a message. */
  message_delivered: { messageId: string };
  /** A message was taken back before a model call saw it. */
  message_withdrawn: { messageId: string };
  /** The run ended before a model call saw a message. */
  message_undelivered: { messageId: string };
}

/** Payload of each type of event. Features add theirs by declaration merging. */
export interface EventPayloads extends CoreEvents, ModelEvents {}

/** Types of events emitted by runs. */
export type EventType = keyof EventPayloads;

/** Returns the names of a feature's events; a missing name does not compile. */
export function eventTypes<Events>(
  types: Readonly<Record<keyof Events, true>>,
): ReadonlySet<keyof Events & string> {
  return new Set(Object.keys(types) as (keyof Events & string)[]);
}

/** Types of the events of every run, with any features. */
export const CORE_EVENT_TYPES = eventTypes<CoreEvents & ModelEvents>({
  run_started: true,
  run_waiting: true,
  run_resumed: true,
  run_paused: true,
  run_held: true,
  run_completed: true,
  run_failed: true,
  run_cancelled: true,
  step_restarted: true,
  step_changed: true,
  step_retrying: true,
  wait_opened: true,
  wait_settled: true,
  outside_event_received: true,
  outside_event_refused: true,
  message_received: true,
  message_delivered: true,
  message_withdrawn: true,
  message_undelivered: true,
  llm_call_started: true,
  llm_call_completed: true,
  llm_call_failed: true,
  llm_stream_chunk: true,
  llm_thinking_chunk: true,
  llm_stream_snapshot: true,
});

type EventBase = {
  /** Position among the run's events, from 1, without gaps. */
  readonly seq: number;
  /** `<path>:<type>`, the same however often the run is replayed. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly runId: string;
  /** Step or scope of the event, as in the journal: `task:research/turn:3`. */
  readonly path: string;
  /** `id` of the event that opened the enclosing scope. */
  readonly parentId?: string;
  /** `id` of the event that opened the scope. Only on events that end a scope. */
  readonly startedId?: string;
  /** `id` of the event that triggered this one, unless it is the enclosing scope; used in flows. */
  readonly triggeredByEventId?: string;
  /** Path of the code whose own listeners receive the event, in place of all others. */
  readonly listenerScope?: string;
};

/** A stored event of one type. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? EventBase & { readonly type: Type } & Readonly<EventPayloads[Type]>
  : never;

/** A stored event of a run, discriminated by `type`. */
export type RunEvent = EventOf<EventType>;

/** An event only for current subscribers, such as tokens of an open call. It has no `seq` and is not stored. */
export type LiveEvent = {
  [Type in LiveType]: Omit<EventBase, "seq"> & { readonly type: Type } & Readonly<
      EventPayloads[Type]
    >;
}[LiveType];

/** Types of the last event of a run. */
export const TERMINAL_EVENTS: ReadonlySet<string> = new Set<keyof CoreEvents>([
  "run_completed",
  "run_failed",
  "run_cancelled",
]);

/** True for types that open a scope. */
export function opensScope(type: string): boolean {
  return type.endsWith("_started") || type.endsWith("_requested");
}

const scopeStarts = new Map<string, string | undefined>();

/** Returns the type of the event that opens the scope ended by `type`; undefined for types that end no scope. */
export function scopeStartOf(type: string): string | undefined {
  // There are few types and many events.
  if (!scopeStarts.has(type)) scopeStarts.set(type, scopeStartIn(type));
  return scopeStarts.get(type);
}

function scopeStartIn(type: string): string | undefined {
  if (TERMINAL_EVENTS.has(type)) return undefined;
  const end = /_(completed|finished|failed|error|received)$/.exec(type);
  if (end === null) return undefined;
  return type.slice(0, end.index) + (end[1] === "received" ? "_requested" : "_started");
}
