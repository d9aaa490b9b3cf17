// Converts values of users to JSON and back: the only way into a journal, a state, a queue or a message. See
// docs/design/values.md.
//
//   RV1. A restored value equals the recorded one: dates, bytes, maps, sets, big integers, errors, NaN and infinities
//        included.
//   RV2. A plain JSON value is recorded unchanged, without an extra byte; rows of older versions are read unchanged.
//   RV3. A value that cannot be restored is refused, and the error names its place: no value is dropped silently.
//   RV4. An object of a user that looks like a recorded kind is restored as that object.
//   RV5. Reading never fails: an object with the mark that no value of its kind could have written stays an object.
import { EngineError, type ErrorCode } from "./error.ts";
import { isJson } from "./is-json.ts";
import { kindNamed, kindOf, MARK, type Kind } from "./recorded-kinds.ts";
import { setField, type JsonObject, type JsonValue } from "./json.ts";

/** Deeper values are refused: reading them back would be too deep for the platform. */
const MAX_DEPTH = 1_000;
/** Depth from which a value is compared with its containers: cycles are rare, and levels are few. */
const CYCLE_DEPTH = 40;

/** Allowed form of a value. */
type Form = {
  /** True for values with a JSON form only, and dates as their texts. */
  readonly isPlain: boolean;
  /** Code of the error for a value that cannot be stored. */
  readonly code: ErrorCode;
};

const RECORDED: Form = { isPlain: false, code: "output_invalid" };
const PLAIN: Form = { isPlain: true, code: "invalid_input" };

/**
 * Converts a value to its recorded form: copies lists and objects, calls `toJSON` of a class, leaves out undefined
 * fields, and records undefined as null. Throws `output_invalid`, which is never retried, with the path of a value that
 * cannot be stored.
 */
export function toRecorded(value: unknown, path = "the result"): JsonValue {
  return value === undefined ? null : new Copy(RECORDED, path).of(value);
}

/** Like `toRecorded`, for a value that will not change: plain JSON is not copied. */
export function asRecorded(value: unknown): JsonValue {
  return isJson(value) ? (value as JsonValue) : toRecorded(value);
}

export function recordedText(value: unknown): string {
  return JSON.stringify(asRecorded(value));
}

/** Returns the text of a JSON value; see `toJson`. */
export function plainText(value: unknown, path = "the result"): string {
  return JSON.stringify(isJson(value) ? value : toJson(value, path));
}

/** Restores a recorded value. Shares plain JSON parts with it. */
export function fromRecorded(recorded: unknown): unknown {
  return changed(recorded, (kind, of) => kind.restore(of as never, fromRecorded));
}

/**
 * Returns the view of a recorded value for events, HTTP and models: dates as ISO 8601, bytes as base64, maps as objects
 * (or as lists of entries if a key is not a text), sets as lists, big integers and NaN as texts, errors with name and
 * message.
 */
export function jsonView(recorded: JsonValue): JsonValue {
  return changed(recorded, (kind, of) => kind.view(of as never, jsonView)) as JsonValue;
}

/** Returns the same view of a JSON text. Plain JSON is only parsed. */
export function parsedView(text: string): JsonValue {
  const recorded = JSON.parse(text) as JsonValue;
  return mayHoldKinds(text) ? jsonView(recorded) : recorded;
}

/** Returns the JSON view of any value for a reader, such as a model. Throws like `toRecorded`. */
export function viewOf(value: unknown, path?: string): JsonValue {
  return jsonView(toRecorded(value, path));
}

/** False for a JSON text that is certainly plain JSON. */
export function mayHoldKinds(text: string): boolean {
  return text.includes(MARK);
}

/**
 * Converts a value to JSON without text in between: copies objects and lists, calls `toJSON`, leaves out undefined
 * fields, and writes undefined elsewhere as null. Throws `invalid_input` with the path of a value without a JSON form.
 */
export function toJson(value: unknown, path = "the value"): JsonValue {
  return value === undefined ? null : new Copy(PLAIN, path).of(value);
}

type Place = string | number | { readonly text: string };

/** Copies one value into its recorded form. */
class Copy {
  readonly #form: Form;
  readonly #root: string;
  readonly #path: Place[] = [];
  readonly #holders: object[] = [];

  constructor(form: Form, root: string) {
    this.#form = form;
    this.#root = root;
  }

  of(value: unknown): JsonValue {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value + 0 : this.#kind("number", String(value)); // -0 is 0
      case "bigint":
        return this.#kind("bigint", String(value));
      case "undefined":
        return this.#form.isPlain ? null : { [MARK]: "undefined" };
      case "object":
        return value === null ? null : this.#object(value);
      default:
        throw this.#refused(`a ${typeof value} cannot be stored`);
    }
  }

  #kind(kind: string, of: JsonValue): JsonValue {
    if (!this.#form.isPlain) return { [MARK]: kind, of };
    const shown = kind === "number" && typeof of === "string" ? of : `a ${kind}`;
    throw this.#refused(`${shown} has no form in JSON`);
  }

  #inside(place: Place, value: unknown): JsonValue {
    this.#path.push(place);
    const copy = this.of(value);
    this.#path.pop();
    return copy;
  }

  #object(value: object): JsonValue {
    const depth = this.#holders.push(value);
    if (depth > CYCLE_DEPTH) this.#checkDepth(value, depth);
    const copy = Array.isArray(value) ? this.#list(value) : this.#fieldsOrKind(value);
    this.#holders.pop();
    return copy;
  }

  #list(list: readonly unknown[]): JsonValue {
    const copy: JsonValue[] = Array.from({ length: list.length });
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      copy[index] =
        typeof item === "string" || typeof item === "boolean" ? item : this.#inside(index, item);
    }
    return copy;
  }

  #fieldsOrKind(value: object): JsonValue {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const kind = kindOf(value, prototype as object);
      if (kind !== undefined && !(this.#form.isPlain && kind.name === "date"))
        return this.#kind(
          kind.name,
          kind.of(value as never, (text, part) => this.#inside({ text }, part)),
        );
    }
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") {
      const own: unknown = (toJSON as () => unknown).call(value);
      return own === value ? this.#fields(value) : this.of(own);
    }
    if (!isPlainObject(prototype))
      throw this.#refused(`an instance of ${className(value)} cannot be stored`);
    return this.#fields(value);
  }

  #fields(value: object): JsonValue {
    const copy: Record<string, JsonValue> = {};
    let isMarked = false;
    const keys = Object.keys(value);
    for (const key of keys) {
      const item = this.#field(value, key);
      if (item === undefined) continue;
      if (key === MARK) isMarked = true;
      const own =
        typeof item === "string" || typeof item === "boolean" ? item : this.#inside(key, item);
      setField(copy, key, own);
    }
    if (keys.length === 0 && Object.getOwnPropertySymbols(value).length > 0)
      throw this.#refused("an object with symbol keys cannot be stored");
    return isMarked && !this.#form.isPlain ? { [MARK]: "object", of: Object.entries(copy) } : copy;
  }

  #field(value: object, key: string): unknown {
    try {
      return (value as Record<string, unknown>)[key];
    } catch (error) {
      this.#path.push(key);
      const message = error instanceof Error ? error.message : String(error);
      throw this.#refused(`its getter failed (${message})`);
    }
  }

  #checkDepth(value: object, depth: number): void {
    if (this.#holders.indexOf(value) < depth - 1) {
      const first = this.#holders.findIndex((holder, at) => this.#holders.indexOf(holder) < at);
      this.#path.length = Math.min(this.#path.length, first);
      throw this.#refused("a value that contains itself cannot be stored");
    }
    if (depth > MAX_DEPTH) {
      this.#path.length = 3;
      throw this.#refused(`it is nested deeper than ${MAX_DEPTH} levels`);
    }
  }

  #refused(why: string): EngineError {
    const { code, isPlain } = this.#form;
    const advice = isPlain
      ? "expected a JSON value"
      : "expected plain data, dates, bytes, maps, sets or errors";
    return new EngineError(code, `${pathText(this.#root, this.#path)}: ${why}; ${advice}`);
  }
}

function isPlainObject(prototype: unknown): boolean {
  // Also true for an object of another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function className(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  const name = constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

function pathText(root: string, path: readonly Place[]): string {
  return path.reduce<string>((text, place) => {
    if (typeof place === "number") return `${text}[${place}]`;
    if (typeof place === "object") return text + place.text;
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(place)
      ? `${text}.${place}`
      : `${text}[${JSON.stringify(place)}]`;
  }, root);
}

/** Replaces each recorded kind in a value. A value without any is returned unchanged. */
function changed(value: unknown, replace: (kind: Kind, of: JsonValue) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return changedList(value, replace);
  const name = (value as JsonObject)[MARK];
  if (typeof name === "string") {
    const kind = kindNamed(name);
    if (kind !== undefined) {
      try {
        return replace(kind, (value as JsonObject)["of"] ?? null);
      } catch {
        // Not written by a value of that kind: an object from outside with the same field.
      }
    }
  }
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const item = (value as JsonObject)[key];
    if (typeof item !== "object" || item === null) continue;
    const made = changed(item, replace);
    if (made === item) continue;
    copy ??= { ...value };
    setField(copy as Record<string, JsonValue>, key, made as JsonValue);
  }
  return copy ?? value;
}

function changedList(
  list: readonly unknown[],
  replace: (kind: Kind, of: JsonValue) => unknown,
): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== "object" || item === null) continue;
    const made = changed(item, replace);
    if (made !== item) (copy ??= [...list])[index] = made;
  }
  return copy ?? list;
}
