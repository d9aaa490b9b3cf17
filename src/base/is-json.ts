// Detects values that are JSON already. The check is cheaper than a copy, and most values pass it.
import { MARK } from "./recorded-kinds.ts";

/** Deeper values are left to the copying code. */
const MAX_DEPTH = 100;

/** True if the value is its own record: plain JSON, without the field that marks recorded kinds. */
export function isJson(value: unknown): boolean {
  try {
    return isJsonAt(value, 0);
  } catch {
    return false; // a failing getter
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
