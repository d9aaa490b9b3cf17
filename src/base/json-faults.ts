// Finds values without a JSON form before they are stored.
import type { Issue } from "./error.ts";
import { pointerPart } from "./json-pointer.ts";
import { typeName } from "./json.ts";

const MAX_DEPTH = 64;

/** Returns one issue for each value within `value` that JSON cannot represent; paths continue `path`. */
export function jsonFaults(value: unknown, path: string): readonly Issue[] {
  return faultsOf(value, path, []);
}

function faultsOf(value: unknown, path: string, ancestors: readonly object[]): readonly Issue[] {
  const type = typeof value;
  if (value === null || type === "string" || type === "boolean") return [];
  if (type === "number" && Number.isFinite(value)) return [];
  if (!Array.isArray(value) && !isPlainObject(value)) {
    return [
      {
        path,
        message: `must be a text, number, boolean, null, or an array or object of these, got ${kindOf(value)}`,
      },
    ];
  }
  if (ancestors.includes(value))
    return [{ path, message: "must not contain itself, got a circular value" }];
  if (ancestors.length >= MAX_DEPTH)
    return [{ path, message: `must be nested at most ${MAX_DEPTH} deep, got more` }];
  return Object.entries(value).flatMap(([key, item]) =>
    faultsOf(item, `${path}/${pointerPart(key)}`, [...ancestors, value]),
  );
}

/** True for a value nested more than 64 deep, such as a value containing itself. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= MAX_DEPTH || Object.values(value).some((each) => isTooDeep(each, depth + 1));
}

/** True for an object without a class of its own. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Names the kind of a value without a JSON form, for messages: `a Set`, `a Date`, `undefined`, `a function`, `NaN`. */
export function kindOf(value: unknown): string {
  if (typeof value === "number" || value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeName(value)}`;
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? `a ${name}` : "an object of a class";
}
