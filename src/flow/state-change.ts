// A method's changes to the flow's state, in a form that applies to a state changed by others meanwhile.
//
//   SC1. Applied to the state at the method's start, a change gives the state at its end, including the order of keys.
//   SC2. Applied to another state it merges changes in place: fields the method did not touch stay, and items appended
//        to a list are appended. An assignment replaces the present value: the later end wins, for numbers, lists and
//        objects too.
//        `overwritten` names changes by others that an assignment undoes.
//   SC3. A number changed only with `StateCopy.add` is added up.
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, setField, type JsonObject, type JsonValue } from "../base/json.ts";

/** A change as JSON, for the journal. */
export type StateChange =
  | { readonly set: JsonValue }
  | { readonly remove: true }
  /** Number before and after additions. Rows of older versions have it for every changed number. */
  | { readonly add: readonly [from: number, to: number] }
  | { readonly append: readonly JsonValue[] }
  | {
      readonly fields: { readonly [key: string]: StateChange };
      /** Keys of the object in the method's order, if it differs from the existing order. */
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

/** Returns pointers to values that changed since the method began and that the change replaces with something else. */
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

/** Path to a value in a state. */
export type StatePath = readonly string[];

/** Facts about a path that the values alone do not show. */
export type Trace = {
  /** True if a list or an object is the method's original one, not an assigned one. */
  readonly isInPlace: (after: unknown, before: JsonValue) => boolean;
  /** Returns the number before and after, if only `add` changed it; else undefined. */
  readonly sumAt: (path: StatePath) => readonly [from: number, to: number] | undefined;
};

/**
 * Returns the change from `before` to `after`; undefined if they are equal. `seen` is the method's own value, `after`
 * its JSON.
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
    // Remaining keys come first in their order, then the new ones.
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

/** True if two values are the same JSON text. */
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
