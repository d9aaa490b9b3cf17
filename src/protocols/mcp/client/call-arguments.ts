// Arguments of a call, in the form for a server.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

/** Removes nulls, empty objects and empty lists from optional fields, because models write them for omitted ones. */
export function withoutEmpty(input: JsonObject, parameters: JsonObject): JsonObject {
  const { required } = parameters;
  const needed = new Set(Array.isArray(required) ? (required as JsonValue[]) : []);
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => needed.has(name) || !isEmpty(value)),
  );
}

/** Converts a list of texts in `sources` to the form expected by some servers. */
export function withSourceTypes(input: JsonObject): JsonObject {
  const { sources } = input;
  if (!Array.isArray(sources) || !sources.every((source) => typeof source === "string"))
    return input;
  return { ...input, sources: sources.map((type: string) => ({ type })) };
}

function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
