// What a method did to the flow's state, so that it can be done to a state that others have changed meanwhile.
//
//   SC1. Applied to the state that the method began with, a change gives the state that it ended with.
//   SC2. Applied to another state it is a three-way merge: fields that the method did not touch stay; what was added to
//        a number is added, what was appended to a list is appended; where both wrote something else, the later end wins.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** A change as JSON, for the journal. */
export type StateChange =
  | { readonly set: JsonValue }
  | { readonly remove: true }
  /** A number from one value to another. */
  | { readonly add: readonly [from: number, to: number] }
  | { readonly append: readonly JsonValue[] }
  | { readonly fields: { readonly [key: string]: StateChange } };

/** What made `after` of `before`; undefined when nothing did. */
export function changeOf(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): StateChange | undefined {
  if (before === after) return undefined;
  if (after === undefined) return { remove: true };
  if (typeof before === "number" && typeof after === "number") return { add: [before, after] };
  if (Array.isArray(before) && Array.isArray(after)) return changeOfList(before, after);
  if (isJsonObject(before) && isJsonObject(after)) return changeOfObject(before, after);
  return { set: after };
}

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
  for (const [key, inner] of Object.entries(change.fields)) {
    const value = applyChange(Object.hasOwn(fields, key) ? fields[key] : undefined, inner);
    if (value === undefined) delete fields[key];
    else fields[key] = value;
  }
  return fields;
}

function changeOfObject(before: JsonObject, after: JsonObject): StateChange | undefined {
  let fields: Record<string, StateChange> | undefined;
  for (const key of Object.keys(after)) {
    const change = changeOf(Object.hasOwn(before, key) ? before[key] : undefined, after[key]);
    if (change !== undefined) (fields ??= {})[key] = change;
  }
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) (fields ??= {})[key] = { remove: true };
  return fields === undefined ? undefined : { fields };
}

function changeOfList(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): StateChange | undefined {
  if (after.length < before.length) return { set: after };
  for (const [index, item] of before.entries())
    if (changeOf(item, after[index]) !== undefined) return { set: after };
  return after.length === before.length ? undefined : { append: after.slice(before.length) };
}
