import type { JsonValue } from "../../../base/json.ts";

/** A text as JSON; of a text that is none what `otherwise` gives, or throws. */
export function decodeJson(text: string, otherwise: () => JsonValue | Error): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    const value = otherwise();
    if (value instanceof Error) throw value;
    return value;
  }
}
