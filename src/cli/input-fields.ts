// Facts of a schema about single inputs, for input at a terminal.
//
//   IFD1. `k=5` is a number, and `k=true` a boolean, if the schema accepts no text there. Any other text stays text,
//         and is invalid.
import { isJsonObject, jsonOrText, type JsonObject, type JsonValue } from "../base/json.ts";

/** Returns the schema of an input; empty if it does not list the input. */
export function fieldOf(schema: JsonObject | undefined, name: string): JsonObject {
  const properties = schema?.["properties"] ?? null;
  const field = isJsonObject(properties) && Object.hasOwn(properties, name) && properties[name];
  return isJsonObject(field || null) ? (field as JsonObject) : {};
}

/** Returns the names in a schema, and the required ones. */
export function namesIn(schema: JsonObject | undefined): {
  readonly known: readonly string[];
  readonly required: readonly string[];
} {
  const { properties = null, required } = schema ?? {};
  const needed = Array.isArray(required) ? required : [];
  return {
    known: isJsonObject(properties) ? Object.keys(properties) : [],
    required: needed.filter((name): name is string => typeof name === "string"),
  };
}

/** Converts a text to the type of the field. */
export function typedText(field: JsonObject, text: string): JsonValue {
  const types = typesOf(field);
  if (types.length === 0 || types.includes("string")) return text;
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  if (types.includes("number") && NUMBER.test(text)) return Number(text);
  if (types.includes("integer") && NUMBER.test(text)) return Number(text);
  return text;
}

/** Like `typedText`, but parses JSON for a list or an object, as people do not write `:=` into an answer. */
export function typedAnswer(field: JsonObject, text: string): JsonValue {
  const types = typesOf(field);
  const isData = types.includes("array") || types.includes("object");
  if (!isData || types.includes("string")) return typedText(field, text);
  return jsonOrText(text);
}

/** Returns the possible values of a field if it lists them. */
export function choicesOf(field: JsonObject): readonly JsonValue[] {
  const { enum: values, const: only } = field;
  if (only !== undefined) return [only];
  if (Array.isArray(values)) return values;
  return typesOf(field).join() === "boolean" ? [true, false] : [];
}

/** Question for a person: `How often (n, integer)`. */
export function questionOf(name: string, field: JsonObject): string {
  const { title, description } = field;
  const type = choicesOf(field).length > 0 ? "" : typesOf(field).join(" or ");
  const help = [title, description].filter((text) => typeof text === "string").join(": ");
  if (help === "") return type === "" || type === "string" ? name : `${name} (${type})`;
  return `${help} (${type === "" ? name : `${name}, ${type}`})`;
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

/** Returns all types of a field, also of alternatives. Empty if the schema has no types. */
function typesOf(field: JsonObject): readonly string[] {
  const { type, anyOf, oneOf } = field;
  const either = anyOf ?? oneOf;
  if (type === undefined && Array.isArray(either)) {
    const each = either.map((one: JsonValue) => (isJsonObject(one) ? typesOf(one) : []));
    return each.some((types) => types.length === 0) ? [] : [...new Set(each.flat())];
  }
  return [type ?? []].flat().filter((each): each is string => typeof each === "string");
}
