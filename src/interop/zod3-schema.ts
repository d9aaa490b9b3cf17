// Schemas of zod 3 as JSON Schema. They parse, and do not describe themselves.
import type { JsonObject, JsonValue } from "../base/json.ts";
import { isJsonObject } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";

/** A schema of zod 3, with the fields used here. */
export type Zod3Schema = {
  readonly _def: Definition;
  readonly safeParseAsync: (value: unknown) => Promise<{
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly Zod3Issue[] };
  }>;
};

type Zod3Issue = { readonly message: string; readonly path: readonly PropertyKey[] };
type Definition = Readonly<Record<string, unknown>> & { readonly typeName: string };

/** Deeper schemas accept any value: a schema that contains itself has no end. */
const MAX_DEPTH = 12;

/** True for a schema of any copy of zod 3. */
export function isZod3(value: unknown): value is Zod3Schema {
  if (!isJsonObject(value) || "_zod" in value || !isJsonObject(value["_def"])) return false;
  return typeof value["_def"]["typeName"] === "string" && "safeParseAsync" in value;
}

/** Converts a schema to JSON Schema. Checks without a JSON Schema form are left out; the schema itself applies them. */
export function zod3JsonSchema(schema: Zod3Schema, depth = 0): JsonObject {
  const { _def: definition } = schema;
  if (depth > MAX_DEPTH) return {};
  const { description } = definition;
  return {
    ...bare(definition, (inner) => (isZod3(inner) ? zod3JsonSchema(inner, depth + 1) : {})),
    ...(typeof description === "string" ? { description } : undefined),
  };
}

type Convert = (inner: unknown) => JsonObject;

function bare(definition: Definition, convert: Convert): JsonObject {
  switch (definition.typeName) {
    case "ZodString":
      return { type: "string", ...limitsOfText(checksOf(definition)) };
    case "ZodNumber":
      return limitedNumber(checksOf(definition));
    case "ZodBoolean":
      return { type: "boolean" };
    case "ZodNull":
      return { type: "null" };
    case "ZodLiteral":
      return { const: json(definition["value"]) };
    case "ZodEnum":
      return { type: "string", enum: json(definition["values"]) };
    case "ZodNativeEnum":
      return { enum: valuesOfEnum(definition["values"]) };
    case "ZodObject":
      return object(definition, convert);
    case "ZodRecord":
      return { type: "object", additionalProperties: convert(definition["valueType"]) };
    case "ZodArray":
      return {
        type: "array",
        items: convert(definition["type"]),
        ...numbered("minItems", definition["minLength"] ?? definition["exactLength"]),
        ...numbered("maxItems", definition["maxLength"] ?? definition["exactLength"]),
      };
    case "ZodTuple":
      return { type: "array", prefixItems: listOf(definition["items"]).map(convert) };
    case "ZodUnion":
    case "ZodDiscriminatedUnion":
      return { anyOf: optionsOf(definition["options"]).map(convert) };
    case "ZodIntersection":
      return { allOf: [convert(definition["left"]), convert(definition["right"])] };
    case "ZodNullable":
      return { anyOf: [convert(definition["innerType"]), { type: "null" }] };
    case "ZodDefault":
      return { ...convert(definition["innerType"]), ...defaultOf(definition) };
    case "ZodOptional":
    case "ZodCatch":
    case "ZodReadonly":
      return convert(definition["innerType"]);
    case "ZodEffects":
      return convert(definition["schema"]);
    case "ZodBranded":
      return convert(definition["type"]);
    case "ZodPipeline":
      return convert(definition["in"]);
    case "ZodLazy":
      return convert((definition["getter"] as () => unknown)());
    default:
      return {};
  }
}

function object(definition: Definition, convert: Convert): JsonObject {
  const shape = Object.entries((definition["shape"] as () => Record<string, unknown>)());
  const required = shape.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(shape.map(([name, field]) => [name, convert(field)])),
    ...(required.length === 0 ? undefined : { required }),
    ...(definition["unknownKeys"] === "strict" ? { additionalProperties: false } : undefined),
  };
}

/** True if a field is optional, also below its wrappers. */
function isOptional(field: unknown): boolean {
  if (!isZod3(field)) return true;
  const { _def: definition } = field;
  const { typeName, innerType, schema, type } = definition;
  if (["ZodOptional", "ZodDefault", "ZodCatch", "ZodAny", "ZodUnknown"].includes(typeName))
    return true;
  if (typeName === "ZodEffects") return isOptional(schema);
  if (typeName === "ZodBranded") return isOptional(type);
  return (typeName === "ZodNullable" || typeName === "ZodReadonly") && isOptional(innerType);
}

type Check = Readonly<Record<string, unknown>>;

function limitsOfText(checks: readonly Check[]): JsonObject {
  const formats: Readonly<Record<string, string>> = {
    email: "email",
    url: "uri",
    uuid: "uuid",
    datetime: "date-time",
    date: "date",
    time: "time",
  };
  return Object.assign(
    {},
    ...checks.map(({ kind, value, regex }): JsonObject => {
      if (kind === "min") return numbered("minLength", value);
      if (kind === "max") return numbered("maxLength", value);
      if (kind === "length")
        return { ...numbered("minLength", value), ...numbered("maxLength", value) };
      if (kind === "regex" && regex instanceof RegExp && regex.flags === "")
        return { pattern: regex.source };
      const format = formats[String(kind)];
      return format === undefined ? {} : { format };
    }),
  ) as JsonObject;
}

function limitedNumber(checks: readonly Check[]): JsonObject {
  const isWhole = checks.some(({ kind }) => kind === "int");
  return Object.assign(
    { type: isWhole ? "integer" : "number" },
    ...checks.map(({ kind, value, inclusive }): JsonObject => {
      if (kind === "min")
        return numbered(inclusive === true ? "minimum" : "exclusiveMinimum", value);
      if (kind === "max")
        return numbered(inclusive === true ? "maximum" : "exclusiveMaximum", value);
      return kind === "multipleOf" ? numbered("multipleOf", value) : {};
    }),
  ) as JsonObject;
}

/** A limit, as a number or in the form of arrays. */
function numbered(name: string, limit: unknown): JsonObject {
  const value = isJsonObject(limit) ? limit["value"] : limit;
  return typeof value === "number" ? { [name]: value } : {};
}

function defaultOf({ defaultValue }: Definition): JsonObject {
  try {
    return { default: json((defaultValue as () => unknown)()) };
  } catch {
    return {}; // the schema itself applies a default that is no JSON
  }
}

/** For a numeric enum, JavaScript keeps the names as values, too. */
function valuesOfEnum(values: unknown): JsonValue[] {
  if (!isJsonObject(values)) return [];
  return Object.entries(values)
    .filter(([, value]) => typeof value !== "string" || typeof values[value] !== "number")
    .map(([, value]) => value);
}

function checksOf({ checks }: Definition): readonly Check[] {
  return listOf(checks) as readonly Check[];
}

function optionsOf(options: unknown): readonly unknown[] {
  return options instanceof Map ? [...options.values()] : listOf(options);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function json(value: unknown): JsonValue {
  return toJson(value);
}
