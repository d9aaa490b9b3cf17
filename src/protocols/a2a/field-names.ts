// Spellings of field names. ProtoJSON (A2A 1.0 section 5.5) writes camelCase, and its readers also accept the
// snake_case names of the protocol buffers.
//
//   AFN1. Both spellings mean the same field, in every version and binding. The caller's own JSON (`metadata`, `data`)
//         stays unchanged.
import { camelCase } from "../../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { A2AError } from "./errors.ts";

/** Members with the caller's own JSON. */
const OPAQUE: ReadonlySet<string> = new Set(["metadata", "data"]);
const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;

/** Returns parameters with all field names in camelCase. Throws an `A2AError` for a field in both spellings. */
export function withFieldNames(params: JsonObject): JsonObject {
  return renamed(params);
}

function renamed(object: JsonObject): JsonObject {
  const fields = new Map<string, JsonValue>();
  for (const [sent, value] of Object.entries(object)) {
    const name = SNAKE_CASE.test(sent) ? camelCase(sent) : sent;
    if (fields.has(name))
      throw new A2AError(
        "InvalidParams",
        `${name} was sent in two spellings: send one of ${name} and its name in snake_case`,
      );
    fields.set(name, OPAQUE.has(name) ? value : inner(value));
  }
  return Object.fromEntries(fields);
}

function inner(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(inner);
  return isJsonObject(value) ? renamed(value) : value;
}
