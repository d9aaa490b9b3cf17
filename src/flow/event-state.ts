// Events show the state in full while it is small. Every method emits it twice, and both events are stored.
import type { JsonObject, JsonValue } from "../base/json.ts";

/** One event shows at most this much of a state, as JSON text in UTF-16 units. */
export const MAX_EVENT_STATE = 32_768;

export type ShownState = {
  readonly state: JsonObject;
  /** Fields of the state that are too large to be shown. */
  readonly stateOmitted?: readonly string[];
};

/** States share what did not change, so most fields are measured once. */
const lengths = new WeakMap<object, number>();

/** Returns the state, without its largest fields if it is too large. Nothing may change it afterwards. */
export function shownState(state: JsonObject): ShownState {
  let total = 0;
  for (const value of Object.values(state)) total += lengthOf(value);
  if (total <= MAX_EVENT_STATE) return { state };
  const fields = Object.entries(state).map(([name, value]) => ({ name, length: lengthOf(value) }));
  let room = MAX_EVENT_STATE;
  const omitted = new Set<string>();
  for (const { name, length } of fields.toSorted((a, b) => a.length - b.length)) {
    if (length > room) omitted.add(name);
    else room -= length;
  }
  const shown = Object.entries(state).filter(([name]) => !omitted.has(name));
  return { state: Object.fromEntries(shown), stateOmitted: [...omitted] };
}

function lengthOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? value.length + 2 : String(value).length;
  let length = lengths.get(value);
  if (length === undefined) lengths.set(value, (length = JSON.stringify(value).length));
  return length;
}
