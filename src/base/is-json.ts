// Most values are JSON as they are. Seeing that is cheaper than making a copy of them.
import { MARK } from "./recorded-kinds.ts";

/** Deeper values are looked at by the code that copies them. */
const MAX_DEPTH = 100;

/** True when the value is its own record: plain JSON, without a field that marks recorded kinds. */
export function isJson(value: unknown): boolean {
  try {
    return isJsonAt(value, 0);
  } catch {
    return false; // a getter that fails
  }
}

function isJsonAt(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      if (!isJsonAt(value[index], depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  const keys = Object.keys(value);
  if (keys.length === 0) return Object.getOwnPropertySymbols(value).length === 0;
  for (const key of keys) {
    if (key === MARK || key === "toJSON") return false;
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined && !isJsonAt(item, depth + 1)) return false;
  }
  return true;
}
