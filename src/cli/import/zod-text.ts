// Writes JSON Schema as a zod expression, for types that need code: inputs of tools, states of flows, schemas with
// checks of their own.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { takesNull } from "./python-types.ts";
import { identifier, propertyKey } from "./typescript-text.ts";

export type ZodOptions = {
  /** True for schemas that are defined later than this one: their fields are getters. @default false */
  readonly isLater?: (name: string) => boolean;
};

/** References to `#/$defs/<name>` are the names. */
export function zodText(schema: JsonValue, options: ZodOptions = {}): string {
  if (!isJsonObject(schema)) return schema === false ? "z.never()" : "z.unknown()";
  const { default: value, description } = schema;
  const parts = [shapeText(schema, options)];
  if (description !== undefined) parts.push(`.describe(${JSON.stringify(description)})`);
  if (value !== undefined) parts.push(`.default(${JSON.stringify(value)})`);
  return parts.join("");
}

function shapeText(schema: JsonObject, options: ZodOptions): string {
  const { $ref, anyOf, enum: values } = schema;
  if (typeof $ref === "string") return identifier($ref.slice("#/$defs/".length));
  if (Array.isArray(anyOf)) {
    const all = (anyOf as readonly JsonObject[]).filter(({ type }) => type !== "null");
    const texts = all.map((each) => zodText(each, options));
    const joined = texts.length === 1 ? (texts[0] ?? "") : `z.union([${texts.join(", ")}])`;
    return takesNull(schema) ? `${joined}.nullish()` : joined;
  }
  if ("const" in schema) return `z.literal(${JSON.stringify(schema["const"])})`;
  if (Array.isArray(values)) {
    const texts = values.map((each) => JSON.stringify(each)).join(", ");
    return values.every((each) => typeof each === "string")
      ? `z.enum([${texts}])`
      : `z.literal([${texts}])`;
  }
  return `${typeText(schema, options)}${boundsText(schema)}`;
}

function typeText(schema: JsonObject, options: ZodOptions): string {
  const { type, format, items, prefixItems, properties, additionalProperties: more } = schema;
  switch (type) {
    case "string":
      return FORMATS[typeof format === "string" ? format : ""] ?? "z.string()";
    case "integer":
      return "z.int()";
    case "number":
      return "z.number()";
    case "boolean":
      return "z.boolean()";
    case "null":
      return "z.null()";
    case "array":
      if (Array.isArray(prefixItems))
        return `z.tuple([${(prefixItems as readonly JsonValue[]).map((each) => zodText(each, options)).join(", ")}])`;
      return `z.array(${zodText(items ?? {}, options)})`;
    case "object":
      if (isJsonObject(properties)) return objectText(schema, options);
      return `z.record(z.string(), ${zodText(more ?? {}, options)})`;
    default:
      return "z.unknown()";
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: "z.url()",
  email: "z.email()",
  uuid: "z.uuid()",
  date: "z.iso.date()",
  "date-time": "z.iso.datetime({ offset: true, local: true })",
};

/** `z.object({ … })`. */
export function objectText(schema: JsonObject, options: ZodOptions = {}): string {
  const { properties, additionalProperties: more } = schema;
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  const make = more === false ? "z.strictObject" : "z.object";
  return fields.length === 0 ? `${make}({})` : `${make}(${fieldsText(fields, options)})`;
}

/** `{ name: z.string(), … }`. */
function fieldsText(
  fields: ReadonlyArray<readonly [string, JsonValue]>,
  options: ZodOptions,
): string {
  const { isLater = () => false } = options;
  const lines = fields.map(([name, schema]) => {
    const text = zodText(schema, options);
    const isLazy = referencesOf(schema).some((each) => isLater(each));
    return isLazy
      ? `  get ${propertyKey(name)}(): z.ZodType {\n    return ${text};\n  },`
      : `  ${propertyKey(name)}: ${text},`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

function referencesOf(schema: JsonValue): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each: JsonValue) => referencesOf(each));
  if (!isJsonObject(schema)) return [];
  const { $ref, ...rest } = schema;
  const own = typeof $ref === "string" ? [$ref.slice("#/$defs/".length)] : [];
  return [...own, ...Object.values(rest).flatMap(referencesOf)];
}

function boundsText(schema: JsonObject): string {
  return Object.entries(schema)
    .map(([keyword, value]) => {
      if (keyword === "pattern") return `.regex(new RegExp(${JSON.stringify(value)}, "u"))`;
      const method = BOUNDS[keyword];
      return method === undefined ? "" : `.${method}(${JSON.stringify(value)})`;
    })
    .join("");
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: "min",
  maximum: "max",
  exclusiveMinimum: "gt",
  exclusiveMaximum: "lt",
  multipleOf: "multipleOf",
  minLength: "min",
  maxLength: "max",
  minItems: "min",
  maxItems: "max",
};
