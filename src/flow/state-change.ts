// What a method did to the flow's state, so that it can be done to a state that others have changed meanwhile.
//
//   SC1. Applied to the state that the method began with, a change gives the state that it ended with, the order of keys included.
//   SC2. Applied to another state it merges what was done in place: fields that the method did not touch stay, and what was
//        appended to a list is appended. What was assigned replaces what is there: the later end wins, for numbers, lists and
//        objects too.
//        `overwritten` names what an assignment undoes that came meanwhile.
//   SC3. A number that the method added to (`StateCopy.add`), and did nothing else with, is added up.
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, setField, type JsonObject, type JsonValue } from "../base/json.ts";

/** A change as JSON, for the journal. */
export type StateChange =
  | { readonly set: JsonValue }
  | { readonly remove: true }
  /** What was added to a number, as it was and as it became. Rows of older versions have it for every number that changed. */
  | { readonly add: readonly [from: number, to: number] }
  | { readonly append: readonly JsonValue[] }
  | {
      readonly fields: { readonly [key: string]: StateChange };
      /** The object's keys in the order that the method left them in, where that is not the order of what was there. */
      readonly order?: readonly string[];
    };

/** Returns the state with a change applied. It shares unchanged parts with the old state, which stays as it was. */
export function applyChange(
  state: JsonValue | undefined,
  change: StateChange,
): JsonValue | undefined {
  if ("set" in change) return change.set;
  if ("remove" in change) return undefined;
  if ("add" in change) {
    const [from, to] = change.add;
    return typeof state === "number" && state !== from ? state + (to - from) : to;
  }
  if ("append" in change)
    return [...(Array.isArray(state) ? (state as JsonValue[]) : []), ...change.append];
  const fields: Record<string, JsonValue> = isJsonObject(state) ? { ...state } : {};
  for (const key of Object.keys(change.fields)) {
    const value = applyChange(ownValue(fields, key), change.fields[key] as StateChange);
    if (value === undefined) Reflect.deleteProperty(fields, key);
    else setField(fields, key, value);
  }
  return change.order === undefined ? fields : ordered(fields, change.order);
}

/** The fields in the order of these keys, and after them the others. */
function ordered(fields: JsonObject, order: readonly string[]): JsonObject {
  const first = order.filter((key) => Object.hasOwn(fields, key));
  const keys = new Set([...first, ...Object.keys(fields)]);
  const inOrder: Record<string, JsonValue> = {};
  for (const key of keys) setField(inOrder, key, fields[key] as JsonValue);
  return inOrder;
}

/** Pointers to what a change is about to replace by something else although it has changed since the method began. */
export function overwritten(
  change: StateChange,
  { before, now }: { readonly before: JsonValue | undefined; readonly now: JsonValue | undefined },
  pointer = "",
): readonly string[] {
  if (before === now || "add" in change || "append" in change) return [];
  if ("fields" in change)
    return Object.entries(change.fields).flatMap(([key, inner]) =>
      overwritten(
        inner,
        { before: fieldOf(before, key), now: fieldOf(now, key) },
        `${pointer}/${pointerPart(key)}`,
      ),
    );
  const after = "set" in change ? change.set : undefined;
  const isNew = now === undefined ? before !== undefined : !isSameJson(now, before);
  const isUndone = now === undefined ? after !== undefined : !isSameJson(now, after);
  return isNew && isUndone ? [pointer] : [];
}

function fieldOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, key) : undefined;
}

/** Where in a state something is. */
export type StatePath = readonly string[];

/** What was done at a path besides what can be seen there: undefined for nothing. */
export type Trace = {
  /** Whether a list or an object is the one that the method was handed, not one that it assigned. */
  readonly isInPlace: (after: unknown, before: JsonValue) => boolean;
  /** What is left where only `add` has changed a number. */
  readonly sumAt: (path: StatePath) => readonly [from: number, to: number] | undefined;
};

/**
 * What made `after` of `before`; undefined when nothing did. `seen` is `after` as the method left it, of which `after` is the JSON.
 */
export function changeOf(
  before: JsonObject,
  { seen, after }: { readonly seen: unknown; readonly after: JsonObject },
  trace: Trace,
): StateChange | undefined {
  return new Comparison(trace).ofFields(before, { seen, after }, []);
}

class Comparison {
  readonly #trace: Trace;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  ofFields(
    before: JsonObject,
    { seen, after }: { readonly seen: unknown; readonly after: JsonObject },
    path: StatePath,
  ): StateChange | undefined {
    const fields: Record<string, StateChange> = {};
    let isSame = true;
    const change = (key: string, what: StateChange): void => {
      isSame = false;
      setField(fields, key, what);
    };
    const keys = Object.keys(after);
    for (const key of keys) {
      const left = { seen: (seen as Record<string, unknown>)[key], after: after[key] as JsonValue };
      const what = this.#of(ownValue(before, key), left, [...path, key]);
      if (what !== undefined) change(key, what);
    }
    // The keys that stay come first and as they were, then those that are new.
    let place = 0;
    let isInOrder = true;
    for (const key of Object.keys(before)) {
      if (!Object.hasOwn(after, key)) change(key, { remove: true });
      else if (key !== keys[place++]) isInOrder = false;
    }
    if (isInOrder && isSame) return undefined;
    return isInOrder ? { fields } : { fields, order: keys };
  }

  #of(
    before: JsonValue | undefined,
    { seen, after }: { readonly seen: unknown; readonly after: JsonValue },
    path: StatePath,
  ): StateChange | undefined {
    const sum = this.#trace.sumAt(path);
    if (sum?.[1] === after && before !== after) return { add: sum };
    if (before === undefined) return { set: after };
    if (isJsonObject(before) && isJsonObject(after) && this.#trace.isInPlace(seen, before))
      return this.ofFields(before, { seen, after }, path);
    if (isSameJson(before, after)) return undefined;
    if (Array.isArray(before) && Array.isArray(after) && this.#trace.isInPlace(seen, before)) {
      const [old, now]: readonly (readonly JsonValue[])[] = [before, after];
      if (old !== undefined && now !== undefined && old.length < now.length)
        if (old.every((item, index) => isSameJson(item, now[index])))
          return { append: now.slice(old.length) };
    }
    return { set: after };
  }
}

function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether two values are the same JSON text. */
function isSameJson(a: JsonValue, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item: JsonValue, index) => isSameJson(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every((key, index) => key === others[index] && isSameJson(a[key] ?? null, b[key]))
  );
}
