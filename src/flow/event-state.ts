// Events show the state in full while it is small. Every method emits it twice, and both events are stored.
import type { JsonObject, JsonValue } from "../base/json.ts";
import { jsonView, mayHoldKinds } from "../base/recorded.ts";

/** One event shows at most this much of a state, as JSON text in UTF-16 units. */
export const MAX_EVENT_STATE = 32_768;

export type ShownState = {
  readonly state: JsonObject;
  /** Names of state fields too large for the event. */
  readonly stateOmitted?: readonly string[];
};

type Shown = { readonly length: number; readonly view: JsonValue };

/** States share unchanged values, so most fields are measured once. */
const known = new WeakMap<object, Shown>();

/** Returns the state, without its largest fields if it is too large. The state must not change afterwards. */
export function shownState(state: JsonObject): ShownState {
  const fields = Object.entries(state).map(([name, value]) => ({ name, ...shownOf(value) }));
  const total = fields.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_EVENT_STATE)
    return {
      state: fields.every(({ name, view }) => view === state[name]) ? state : objectOf(fields),
    };
  let room = MAX_EVENT_STATE;
  const omitted = new Set<string>();
  for (const { name, length } of fields.toSorted((a, b) => a.length - b.length)) {
    if (length > room) omitted.add(name);
    else room -= length;
  }
  const shown = fields.filter(({ name }) => !omitted.has(name));
  return { state: objectOf(shown), stateOmitted: [...omitted] };
}

function objectOf(
  fields: ReadonlyArray<{ readonly name: string; readonly view: JsonValue }>,
): JsonObject {
  return Object.fromEntries(fields.map(({ name, view }) => [name, view]));
}

function shownOf(value: JsonValue): Shown {
  if (typeof value !== "object" || value === null)
    return {
      length: typeof value === "string" ? value.length + 2 : String(value).length,
      view: value,
    };
  let shown = known.get(value);
  if (shown === undefined) {
    const text = JSON.stringify(value);
    shown = { length: text.length, view: mayHoldKinds(text) ? jsonView(value) : value };
    known.set(value, shown);
  }
  return shown;
}
