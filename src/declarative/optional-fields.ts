// Optional fields of a state's JSON schema: without a value they are null, as in CrewAI's models.
import { isJsonObject, setField, type JsonObject, type JsonValue } from "../base/json.ts";

/**
 * Returns the value with all optional fields of its schema: with their default, or null. A complete value is returned
 * as the same object.
 */
export function withOptionalFields(schema: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isJsonObject(items)) return value;
    const filled = value.map((item: JsonValue) => withOptionalFields(items, item));
    return filled.every((item, index) => item === value[index]) ? value : filled;
  }
  if (!isJsonObject(value)) return value;
  const filled: Record<string, JsonValue> = { ...value };
  let isWhole = true;
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const there = Object.hasOwn(value, name) ? value[name] : undefined;
    if (there === undefined && isRequired(schema, name)) continue;
    const made =
      there === undefined ? (defaultOf(property) ?? null) : withOptionalFields(property, there);
    if (made === there) continue;
    isWhole = false;
    setField(filled, name, made);
  }
  return isWhole ? value : filled;
}

/** Returns the value without optional null fields: a field's schema applies only if it has a value. */
export function withoutOptionalNulls(schema: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return value;
  if (Array.isArray(value))
    return value.map((item: JsonValue) => withoutOptionalNulls(schema["items"], item));
  if (!isJsonObject(value)) return value;
  const properties = propertiesOf(schema);
  const kept: Record<string, JsonValue> = {};
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (item === null && property !== undefined && !isRequired(schema, name)) continue;
    setField(kept, name, withoutOptionalNulls(property, item));
  }
  return kept;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function isRequired({ required }: JsonObject, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function defaultOf(property: JsonValue): JsonValue | undefined {
  return isJsonObject(property) ? property["default"] : undefined;
}
