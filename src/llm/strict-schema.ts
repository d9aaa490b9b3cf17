// JSON Schema in the form providers can enforce: references inlined, objects closed, `oneOf` as `anyOf`. Unenforceable
// keywords move into the description, where the model still reads them.
//
//   SOF1. A model never has to invent an optional field: if a wire requires every property, it may be null there.
import { keyOfPart } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

const FORMATS = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
];

/** Keywords kept unchanged. */
const PLAIN = ["type", "title", "enum", "const"];

/** Keywords not allowed in strict schemas; their values go into the description. */
const DESCRIBED_KEYWORDS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
];

/** Keywords that change the valid values in a way no provider enforces. */
const INEXPRESSIBLE = [
  "not",
  "if",
  "prefixItems",
  "patternProperties",
  "dependentRequired",
  "dependentSchemas",
  "contains",
  "$dynamicRef",
];

/** Form of optional properties: OpenAI requires every property, but accepts null; Anthropic accepts optional ones. */
export type OptionalForm = "nullable" | "optional";

type Known = { readonly [Form in OptionalForm]?: JsonObject | "none" };

const known = new WeakMap<JsonObject, Known>();

/** Returns the strict form; undefined for a schema without one: open maps, recursion, values of any kind. */
export function strictSchema(
  schema: JsonObject,
  optionals: OptionalForm = "nullable",
): JsonObject | undefined {
  const found = known.get(schema) ?? {};
  const strict = found[optionals] ?? strictObject(schema, optionals) ?? "none";
  if (found[optionals] === undefined) known.set(schema, { ...found, [optionals]: strict });
  return strict === "none" ? undefined : strict;
}

/** True if the strict form accepts exactly the same objects as the schema: no optional property becomes required. */
export function isStrictAlready(schema: JsonObject): boolean {
  return strictSchema(schema) !== undefined && hasNoOptionals(schema);
}

function strictObject(schema: JsonObject, optionals: OptionalForm): JsonObject | undefined {
  const strict = new Conversion(schema, optionals).convert(schema, []);
  return strict?.["type"] === "object" ? strict : undefined;
}

class Conversion {
  readonly #root: JsonObject;
  readonly #optionals: OptionalForm;

  constructor(root: JsonObject, optionals: OptionalForm) {
    this.#root = root;
    this.#optionals = optionals;
  }

  convert(schema: JsonValue, path: readonly string[]): JsonObject | undefined {
    if (!isJsonObject(schema) || INEXPRESSIBLE.some((key) => key in schema)) return undefined;
    const reference = schema["$ref"];
    if (typeof reference === "string") {
      const target = path.includes(reference) ? undefined : resolve(this.#root, reference);
      const inlined = target === undefined ? undefined : this.convert(target, [...path, reference]);
      return inlined && withDescription(inlined, schema["description"]);
    }
    const all = schema["allOf"];
    if (Array.isArray(all)) {
      if (all.length !== 1 || !isJsonObject(all[0])) return undefined;
      const { allOf: _, ...rest } = schema;
      return this.convert({ ...rest, ...all[0] }, path);
    }
    return this.#convertPlain(schema, path);
  }

  #convertPlain(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
    const strict: Record<string, JsonValue> = {};
    for (const key of PLAIN) {
      if (schema[key] !== undefined) strict[key] = schema[key];
    }
    const format = schema["format"];
    if (typeof format === "string" && FORMATS.includes(format)) strict["format"] = format;
    const description = describe(schema);
    if (description) strict["description"] = description;

    const variants = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(variants)) {
      const converted = variants.map((variant: JsonValue) => this.convert(variant, path));
      if (!converted.every((variant) => variant !== undefined)) return undefined;
      return { ...strict, anyOf: converted };
    }
    if (includesType(schema, "array")) {
      const items = this.convert(schema["items"] ?? null, path);
      if (items === undefined) return undefined;
      strict["items"] = items;
    }
    if (includesType(schema, "object")) {
      const object = this.#convertObject(schema, path);
      return object && { ...strict, ...object };
    }
    const saysSomething = "type" in strict || "enum" in strict || "const" in strict;
    return saysSomething ? strict : undefined;
  }

  #convertObject(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
    const declared = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    if (declared.length === 0 && schema["additionalProperties"] !== false) return undefined;
    const named = Array.isArray(schema["required"]) ? schema["required"] : [];
    const properties: Record<string, JsonValue> = {};
    for (const [name, property] of declared) {
      const converted = this.convert(property, path);
      if (converted === undefined) return undefined;
      const isOptional = this.#optionals === "nullable" && !named.includes(name);
      properties[name] = isOptional ? nullable(converted) : converted;
    }
    const names = declared.map(([name]) => name);
    const required =
      this.#optionals === "nullable" ? names : names.filter((name) => named.includes(name));
    return { properties, required, additionalProperties: false };
  }
}

/** Returns the same schema or null, with the description outside, where models look for it. */
function nullable(schema: JsonObject): JsonObject {
  if (takesNull(schema)) return schema;
  const { description, ...rest } = schema;
  const note = description === undefined ? {} : { description };
  const { type, anyOf } = rest;
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...anyOf, { type: "null" }], ...note };
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type : [];
  const isPlain = types.length > 0 && !("enum" in rest || "const" in rest);
  return isPlain
    ? { ...rest, type: [...types, "null"], ...note }
    : { anyOf: [rest, { type: "null" }], ...note };
}

function takesNull({ type, anyOf, enum: constants }: JsonObject): boolean {
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if (Array.isArray(constants) && constants.includes(null)) return true;
  return Array.isArray(anyOf) && anyOf.some((each) => isJsonObject(each) && takesNull(each));
}

function describe(schema: JsonObject): string {
  const described = DESCRIBED_KEYWORDS.filter((key) => schema[key] !== undefined).map(
    (key) => `${key}: ${JSON.stringify(schema[key])}`,
  );
  const own = typeof schema["description"] === "string" ? schema["description"] : "";
  if (described.length === 0) return own;
  return `${own}${own && " "}(${described.join(", ")})`;
}

function withDescription(schema: JsonObject, description: JsonValue | undefined): JsonObject {
  return typeof description === "string" ? { ...schema, description } : schema;
}

/** Returns the target of a reference such as `#/$defs/Name`. */
function resolve(root: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let target: JsonValue | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const name = keyOfPart(decodeURIComponent(part));
    target = isJsonObject(target) ? target[name] : undefined;
  }
  return target;
}

function includesType(schema: JsonObject, name: string): boolean {
  const type = schema["type"];
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** No object anywhere in the schema leaves a property out of `required`. */
function hasNoOptionals(schema: JsonValue | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(hasNoOptionals);
  if (!isJsonObject(schema)) return true;
  const { properties, required } = schema;
  if (isJsonObject(properties)) {
    const names = Array.isArray(required) ? required : [];
    if (!Object.keys(properties).every((name) => names.includes(name))) return false;
  }
  return Object.values(schema).every(hasNoOptionals);
}
