// A method's copy of the flow's state, with a record of its changes.
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, setField, type JsonObject, type JsonValue } from "../base/json.ts";
import { MARK } from "../base/recorded-kinds.ts";
import { fromRecorded, toRecorded } from "../base/recorded.ts";
import { applyChange, changeOf, type StateChange, type StatePath } from "./state-change.ts";

/** Fields of a state with a numeric type. */
export type NumberField<State> = {
  [Field in keyof State]-?: Extract<State[Field], number> extends never ? never : Field;
}[keyof State] &
  string;

/** `add` of a method: see `StateCopy.add`. */
export type AddToState<State> = (
  field: NumberField<State> | readonly [keyof State & string, ...string[]],
  amount?: number,
) => number;

type Sum = { readonly from: number; readonly to: number };
type FieldChanges = Extract<StateChange, { fields: unknown }>;

export class StateCopy {
  readonly #before: JsonObject;
  #state: JsonObject | undefined;
  #isTouched = false;
  /** Original value of each list and object in the copy. */
  readonly #originals = new Map<unknown, JsonValue | undefined>();
  readonly #sums = new Map<string, Sum>();

  constructor(before: JsonObject) {
    this.#before = before;
  }

  /** State for the method to read and change. Copied on the first access: many methods only pass values on. */
  get state(): JsonObject {
    if (this.#isTouched) return this.#state as JsonObject;
    this.#isTouched = true;
    return (this.#state = this.#copy(this.#before) as JsonObject);
  }

  set state(state: JsonObject) {
    this.#isTouched = true;
    this.#state = state;
  }

  /**
   * Adds to a number of the state, and returns its new value in this copy. Additions of concurrent methods add up,
   * assignments do not. `field` is a field, or the keys of a nested one; a missing or null number counts as 0. Throws
   * `invalid_input` for another value. `amount` is 1 by default.
   */
  add(field: string | StatePath, amount = 1): number {
    if (!Number.isFinite(amount)) throw unfit("add needs a number to add", amount);
    return this.#sum(typeof field === "string" ? [field] : field, (number) => number + amount);
  }

  /** Applies the recorded change of a part of the method. */
  apply(change: StateChange): void {
    if ("fields" in change) this.#apply(this.state, change, []);
  }

  #apply(owner: JsonObject, { fields, order = [] }: FieldChanges, path: StatePath): void {
    for (const [key, change] of Object.entries(fields)) {
      const there = valueAt(owner, [key]);
      const at = [...path, key];
      if ("fields" in change && isJsonObject(there)) this.#apply(there, change, at);
      else if ("append" in change && Array.isArray(there))
        (there as JsonValue[]).push(...(restored(change.append) as readonly JsonValue[]));
      else if ("add" in change) {
        const [from, to] = change.add;
        this.#sum(at, (number) => (number === from ? to : number + (to - from)));
      } else if ("set" in change) put(owner, key, restored(change.set));
      else put(owner, key, applyChange(there, change));
    }
    for (const key of order) {
      const value = valueAt(owner, [key]);
      put(owner, key, undefined);
      put(owner, key, value);
    }
  }

  #sum(path: StatePath, added: (number: number) => number): number {
    const key = path.at(-1);
    const owner = valueAt(this.state, path.slice(0, -1));
    if (key === undefined || !isJsonObject(owner))
      throw unfit(`add needs an object in the state at ${named(path.slice(0, -1))}`, owner);
    const current = valueAt(owner, [key]) ?? 0;
    if (typeof current !== "number")
      throw unfit(`add needs a number in the state at ${named(path)}`, current);
    const to = added(current);
    const id = JSON.stringify(path);
    const known = this.#sums.get(id);
    if (known?.to === current) this.#sums.set(id, { ...known, to });
    else if ((valueAt(this.#before, path) ?? 0) === current)
      this.#sums.set(id, { from: current, to });
    put(owner, key, to);
    return to;
  }

  /**
   * Returns the changes so far; undefined without any. Throws `output_invalid` with the path of a value that cannot be
   * stored.
   */
  change(): { readonly change: StateChange | undefined; readonly state: JsonObject } {
    if (!this.#isTouched) return { change: undefined, state: this.#before };
    const state = toRecorded(this.#state, "state") as JsonObject;
    const change = changeOf(
      this.#before,
      { seen: this.#state, after: state },
      {
        isInPlace: (seen, before) => this.#originals.get(seen) === before,
        sumAt: (path) => {
          if (this.#sums.size === 0) return undefined;
          const sum = this.#sums.get(JSON.stringify(path));
          return sum === undefined ? undefined : [sum.from, sum.to];
        },
      },
    );
    return { change, state };
  }

  #copy(value: JsonValue): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    // A value other than plain JSON is replaced as a whole: changes inside it are not tracked.
    if (MARK in value) return restored(value);
    const copy: JsonValue = Array.isArray(value)
      ? value.map((item: JsonValue) => this.#copy(item))
      : this.#copyFields(value as JsonObject);
    this.#originals.set(copy, value);
    return copy;
  }

  #copyFields(value: JsonObject): JsonObject {
    const copy: Record<string, JsonValue> = {};
    for (const key of Object.keys(value)) setField(copy, key, this.#copy(value[key] as JsonValue));
    return copy;
  }
}

/** A recorded part of the state as the method's own. */
function restored(recorded: JsonValue | readonly JsonValue[]): JsonValue {
  return fromRecorded(structuredClone(recorded)) as JsonValue;
}

function valueAt(state: JsonValue, path: StatePath): JsonValue | undefined {
  let value: JsonValue | undefined = state;
  for (const key of path)
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Sets an own field of any name; undefined removes it. */
function put(owner: JsonObject, key: string, value: JsonValue | undefined): void {
  if (value === undefined) Reflect.deleteProperty(owner, key);
  else
    Object.defineProperty(owner, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

function named(path: StatePath): string {
  return ["state", ...path].join(".");
}

function unfit(expected: string, actual: unknown): EngineError {
  return new EngineError("invalid_input", `${expected}, got ${preview(actual)}`);
}
