// Events: what happens in a run, as listeners, dashboards and streams see it.
//
// The core declares the events of runs, steps, waits and model calls. Each feature declares its own in its `events.ts`, by
// merging them into `EventPayloads`, and lists their names there with `eventTypes`. The names are those the field knows.
//
// Names say which event ends which: `<x>_completed`, `<x>_finished`, `<x>_failed` and `<x>_error` end the scope that
// `<x>_started` opened at the same path, and `<x>_received` the one that `<x>_requested` opened. A run's own end is no such
// end: it ends everything.
import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { LiveType, ModelEvents } from "./model-events.ts";

/** Runs, their steps and their waits. */
export interface CoreEvents {
  run_started: { kind: string; name: string; inputs: JsonObject };
  run_waiting: { waits: readonly string[] };
  run_resumed: object;
  run_paused: object;
  /** The deployed code does not fit the run, which waits for code that does. */
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
    /** Of kind `child`. */
    childRunId?: string;
  };
  /** `expired`: its time has come, or the step that asked has ended without the answer. */
  wait_settled: { key: string; expired?: boolean; by?: string };
  /** An event that the outside world sent to the run. */
  outside_event_received: { name: string; eventId?: string; outcome: "delivered" | "kept" };
  /** A kept event that does not fit the wait that was opened for it, and was dropped. */
  outside_event_refused: { name: string; eventId?: string; reason: string };
}

/** What each type of event carries. Features add theirs by declaration merging. */
export interface EventPayloads extends CoreEvents, ModelEvents {}

/** The types of events that runs emit. */
export type EventType = keyof EventPayloads;

/** The names of a feature's events; the type checker sees to it that none is missing. */
export function eventTypes<Events>(
  types: Readonly<Record<keyof Events, true>>,
): ReadonlySet<keyof Events & string> {
  return new Set(Object.keys(types) as (keyof Events & string)[]);
}

/** The types of the events that every run has, whatever features there are. */
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
  /** The step or scope that the event belongs to, as in the journal: `task:research/turn:3`. */
  readonly path: string;
  /** `id` of the event that opened the enclosing scope. */
  readonly parentId?: string;
  /** On events that end a scope: `id` of the event that opened it. */
  readonly startedId?: string;
  /** `id` of the event that triggered this one, if that is not the enclosing scope; used in flows. */
  readonly triggeredByEventId?: string;
  /** Path of the code whose own listeners receive the event, instead of all others. */
  readonly listenerScope?: string;
};

/** A stored event of one type. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? EventBase & { readonly type: Type } & Readonly<EventPayloads[Type]>
  : never;

/** A stored event of a run, discriminated by `type`. */
export type RunEvent = EventOf<EventType>;

/** An event that reaches only current subscribers: tokens as they come. It has no `seq` and is not stored. */
export type LiveEvent = {
  [Type in LiveType]: Omit<EventBase, "seq"> & { readonly type: Type } & Readonly<
      EventPayloads[Type]
    >;
}[LiveType];

/** The event after which nothing more happens. */
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

/** The type that opens the scope which events of `type` end; undefined for types that end none. */
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
