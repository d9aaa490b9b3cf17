// Converts text values from a model to the types of a schema.
//
//   TV1. A value changes its type only if it does not fit unchanged and fits afterwards: a number from digits, a
//        boolean from its words, a list or object from its JSON, null from its word, a field from its name in another
//        case.
//   TV2. Ambiguous values stay unchanged: digits beyond the exact range of a number, separators, units, a union with
//        two fitting types and different values. A number never becomes a text.
//   TV3. Models treat absent and null alike: a null, its word, or an empty text becomes absent if the field is optional
//        and does not accept it.
import { camelCase } from "../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";

const NUMBER = /^[+-]?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/;
const TRUE = new Set(["true", "yes", "y", "on", "t", "1"]);
const FALSE = new Set(["false", "no", "n", "off", "f", "0"]);
const NULL = new Set(["null", "none"]);
const MAX_DEPTH = 32;

/**
 * Converts texts in `value` to the types in `schema` if the meaning is clear. Returns the same value if it needs no
 * change.
 */
export function typedValue(schema: JsonObject, value: JsonValue): JsonValue {
  return new Reader(schema).read(schema, value, 0);
}

class Reader {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  read(schema: JsonValue | undefined, value: JsonValue, depth: number): JsonValue {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return value;
    const { $ref, allOf } = schema;
    if (typeof $ref === "string") return this.read(this.#resolve($ref), value, depth + 1);
    if (Array.isArray(allOf)) {
      let read = value;
      for (const each of allOf) read = this.read(each, read, depth + 1);
      return this.#readOne(schema, read, depth);
    }
    const alternatives = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(alternatives)) return this.#readAny(alternatives, value, depth);
    const { type } = schema;
    if (Array.isArray(type))
      return this.#readAny(
        type.map((each) => ({ ...schema, type: each })),
        value,
        depth,
      );
    return this.#readOne(schema, value, depth);
  }

  /**
   * Returns the value converted for one of the alternatives; unchanged if one accepts it, or if several yield different
   * values.
   */
  #readAny(alternatives: readonly JsonValue[], value: JsonValue, depth: number): JsonValue {
    const schemas = alternatives.map((each) => this.#open(each));
    const kinds = schemas.map((each) => (isJsonObject(each) ? each["type"] : undefined));
    const fitting = schemas.filter((_, index) => isOfType(kinds[index], value));
    const candidates = fitting.length > 0 ? fitting : schemas;
    const made = candidates
      .map((schema) => ({ schema, read: this.read(schema, value, depth + 1) }))
      .filter(({ schema, read }) =>
        isOfType(isJsonObject(schema) ? schema["type"] : undefined, read),
      );
    const different = new Set(made.map(({ read }) => JSON.stringify(read)));
    const fit = different.size > 1 ? made.filter((each) => this.#fits(each)) : made;
    const [first] = fit;
    const isClear = new Set(fit.map(({ read }) => JSON.stringify(read))).size === 1;
    return isClear && first !== undefined ? first.read : value;
  }

  /** True if a value is valid against a part of the schema. */
  #fits({ schema, read }: { schema: JsonValue | undefined; read: JsonValue }): boolean {
    if (!isJsonObject(schema)) return false;
    const { $defs, definitions } = this.#root;
    const whole = {
      ...(isJsonObject($defs) ? { $defs } : undefined),
      ...(isJsonObject(definitions) ? { definitions } : undefined),
      ...schema,
    };
    return validateJsonSchema(whole, read).length === 0;
  }

  #readOne(schema: JsonObject, value: JsonValue, depth: number): JsonValue {
    switch (schema["type"]) {
      case "integer":
      case "number":
        return toNumber(value, schema["type"] === "integer");
      case "boolean":
        return toBoolean(value);
      case "null":
        return typeof value === "string" && NULL.has(value.trim().toLowerCase()) ? null : value;
      case "array":
        return this.#readList(schema, fromText(value, Array.isArray), depth);
      case "object":
        return this.#readObject(schema, fromText(value, isJsonObject), depth);
      case "string":
        return value;
      default:
        return this.#readUntyped(schema, value, depth);
    }
  }

  /** Reads a schema without a type by its constants or its fields. */
  #readUntyped(schema: JsonObject, value: JsonValue, depth: number): JsonValue {
    const constants = Array.isArray(schema["enum"]) ? schema["enum"] : [schema["const"]];
    const meant = constants.filter(
      (each) => each === toNumber(value, false) || each === toBoolean(value),
    );
    if (typeof value === "string" && !constants.includes(value) && meant.length === 1)
      return meant[0] ?? value;
    if (isJsonObject(schema["properties"]) && isJsonObject(value))
      return this.#readObject(schema, value, depth);
    return value;
  }

  #readList(schema: JsonObject, value: JsonValue, depth: number): JsonValue {
    if (!Array.isArray(value)) return value;
    const { prefixItems, items } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    return value.map((each: JsonValue, index) => this.read(first[index] ?? items, each, depth + 1));
  }

  #readObject(schema: JsonObject, value: JsonValue, depth: number): JsonValue {
    if (!isJsonObject(value)) return value;
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const rest = schema["additionalProperties"];
    const names = fieldNames(Object.keys(value), properties, required);
    return Object.fromEntries(
      Object.entries(value).flatMap(([written, each]): [string, JsonValue][] => {
        const name = names.get(written) ?? written;
        const isNamed = Object.hasOwn(properties, name);
        const field = isNamed ? properties[name] : rest;
        const read = this.read(field, each, depth + 1);
        const mayBeAbsent = isNamed && !required.includes(name) && isNothing(read);
        return mayBeAbsent && !this.#fits({ schema: field, read }) ? [] : [[name, read]];
      }),
    );
  }

  #open(schema: JsonValue): JsonValue | undefined {
    let open: JsonValue | undefined = schema;
    for (let step = 0; step < MAX_DEPTH && isJsonObject(open); step++) {
      const { $ref }: JsonObject = open;
      if (typeof $ref !== "string") return open;
      open = this.#resolve($ref);
    }
    return open;
  }

  #resolve(reference: string): JsonValue | undefined {
    if (!reference.startsWith("#")) return undefined;
    let found: JsonValue | undefined = this.#root;
    for (const part of reference.slice(1).split("/").slice(1)) {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    return found;
  }
}

/** Maps unknown fields to a required field with the same name in another case: `final_summary` for `finalSummary`. */
function fieldNames(
  written: readonly string[],
  properties: JsonObject,
  required: readonly JsonValue[],
): ReadonlyMap<string, string> {
  const missing = required.filter(
    (name): name is string => typeof name === "string" && !written.includes(name),
  );
  const names = new Map<string, string>();
  for (const name of missing) {
    const spelled = written.filter(
      (each) => !Object.hasOwn(properties, each) && plain(each) === plain(name),
    );
    const [only] = spelled;
    if (spelled.length === 1 && only !== undefined) names.set(only, name);
  }
  return names;
}

function isNothing(value: JsonValue): boolean {
  if (typeof value !== "string") return value === null;
  const word = value.trim().toLowerCase();
  return word === "" || NULL.has(word);
}

function plain(name: string): string {
  return camelCase(name.replaceAll("-", "_")).toLowerCase();
}

function toNumber(value: JsonValue, isInteger: boolean): JsonValue {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (!NUMBER.test(text)) return value;
  const number = Number(text);
  const isExact = Number.isSafeInteger(number) || !(Number.isInteger(number) || isInteger);
  return Number.isFinite(number) && isExact ? number : value;
}

function toBoolean(value: JsonValue): JsonValue {
  const word = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  const lower = word.toLowerCase();
  if (TRUE.has(lower)) return true;
  return FALSE.has(lower) ? false : value;
}

function fromText(value: JsonValue, fits: (parsed: unknown) => boolean): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed = JSON.parse(value) as JsonValue;
    return fits(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

function isOfType(type: unknown, value: JsonValue): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "null":
      return value === null;
    case undefined:
      return true;
    default:
      return typeof value === type;
  }
}
