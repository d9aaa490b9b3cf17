// The state of simulated flows: what methods do to it, and what becomes of it when several do so at once.
import { isJsonObject, type JsonValue } from "../../src/base/json.ts";
import { digest } from "./action.ts";
import { nameOf, type MethodNode } from "./flow.ts";

/**
 * What a method does to the state: `add` and `count` add one to the count, the second by assignment; `note`, `forget` and
 * `renote` set one field of the notes, remove one, and assign all; `unfit` leaves what no schema allows.
 */
export type Change = "add" | "count" | "assign" | "list" | "note" | "forget" | "renote" | "unfit";

/** The state of a simulated flow. */
export type FlowState = {
  /** What the flow was asked. */
  asked: string;
  /** An entry for each method that has ended, in the order of the ends. */
  log: LogEntry[];
  /** How often each method has ended. */
  turns: Record<string, number>;
  count: number;
  last: string;
  list: string[];
  notes: Record<string, string>;
};

export type LogEntry = {
  /** The name of the method, with `~2` for its second execution. */
  readonly at: string;
  /** How many entries the log had when it began. */
  readonly saw: number;
  /** What it was handed. */
  readonly got: JsonValue;
  /** What the person said whom it asked. */
  readonly heard: JsonValue;
  /** What its own step gave. */
  readonly did: JsonValue;
  /** What its body gave. */
  readonly value: JsonValue;
};

/** The state before anything has happened. */
export function firstState(asked: string): FlowState {
  return { asked, log: [], turns: {}, count: 0, last: "", list: [], notes: {} };
}

/** What another run has kept by then: not the same when it is asked for again. */
export function keptState(count: number): FlowState {
  return { ...firstState("before"), count, last: "kept", list: ["kept"], notes: { kept: "yes" } };
}

/** The state that a flow begins with which was asked this and has found `kept`. */
export function restoredState(kept: JsonValue, asked: string): FlowState {
  const { count } = isJsonObject(kept) ? kept : {};
  return { ...keptState(typeof count === "number" ? count : 0), asked };
}

/** What a method's body is asked: all that the method sees. */
export function bodyInput(at: string, got: JsonValue, state: FlowState): string {
  return digest(state.asked, [at, got, seen(state)]);
}

/** What of a state tells it from others, whatever the order of keys. */
export function seen({ log, turns, count, last, list, notes }: FlowState): JsonValue {
  return [log.length, sorted(turns), count, last, list, sorted(notes)];
}

function sorted(record: Readonly<Record<string, JsonValue>>): JsonValue {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Does one change to a state. */
export function changeState(
  state: FlowState,
  change: Change,
  { name, asked }: { readonly name: string; readonly asked: string },
): void {
  switch (change) {
    case "add":
    case "count":
      state.count += 1;
      return;
    case "assign":
      state.last = asked;
      return;
    case "list":
      state.list = [...state.list, name];
      return;
    case "note":
      state.notes[name] = asked;
      return;
    case "forget":
      Reflect.deleteProperty(state.notes, Object.keys(state.notes).toSorted()[0] ?? name);
      return;
    case "renote":
      state.notes = { [name]: asked };
      return;
    default:
      (state as { last: unknown }).last = 0;
  }
}

/** What has become of the state once a method has ended that began with `before`. */
export function merged(
  now: FlowState,
  before: FlowState,
  { method, entry, asked }: { method: MethodNode; entry: LogEntry; asked: string },
): FlowState {
  const name = nameOf(entry.at);
  const own = structuredClone(before);
  for (const change of method.changes) changeState(own, change, { name, asked });
  const does = (change: MethodNode["changes"][number]): boolean => method.changes.includes(change);
  const added = own.count - before.count;
  const notes = does("renote") && !isSame(own.notes, before.notes) ? own.notes : { ...now.notes };
  if (!does("renote")) {
    for (const [key, note] of Object.entries(own.notes))
      if (before.notes[key] !== note) notes[key] = note;
    for (const key of Object.keys(before.notes))
      if (!Object.hasOwn(own.notes, key)) Reflect.deleteProperty(notes, key);
  }
  return {
    asked: now.asked,
    log: [...now.log, entry],
    turns: { ...now.turns, [name]: (now.turns[name] ?? 0) + 1 },
    count: does("count") ? own.count : now.count + added,
    last: own.last === before.last ? now.last : own.last,
    list: does("list") ? own.list : now.list,
    notes,
  };
}

/** Whether its state fits no schema. */
export function leavesUnfit({ changes }: MethodNode): boolean {
  return changes.findLast((change) => change === "unfit" || change === "assign") === "unfit";
}

export function isSameState(expected: FlowState, actual: FlowState): boolean {
  const whole = (state: FlowState): JsonValue => [state.asked, seen(state), [...state.log]];
  const isKnown = (field: string): boolean => Object.hasOwn(expected, field);
  return isSame(whole(expected), whole(actual)) && Object.keys(actual).every(isKnown);
}

export function isSame(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
}

/** The value with the keys of its objects in order. */
function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => canonical(each));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]));
}
