// The arguments of a call, as a server is sent them.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

/** Without nulls, empty objects and empty lists in fields that need not be there: models write them for what they leave out. */
export function withoutEmpty(input: JsonObject, parameters: JsonObject): JsonObject {
  const { required } = parameters;
  const needed = new Set(Array.isArray(required) ? (required as JsonValue[]) : []);
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => needed.has(name) || !isEmpty(value)),
  );
}

/** A list of texts as `sources`, in the form that some servers expect. */
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
