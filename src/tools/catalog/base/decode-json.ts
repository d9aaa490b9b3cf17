import type { JsonValue } from "../../../base/json.ts";

/** Parses a text as JSON. For other texts returns or throws the value of `otherwise`. */
export function decodeJson(text: string, otherwise: () => JsonValue | Error): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    const value = otherwise();
    if (value instanceof Error) throw value;
    return value;
  }
}
