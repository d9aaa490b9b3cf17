// Derives form fields, initial values and faults from a JSON Schema.
import type { Json, JsonSchema } from "../api-types.ts";
import { inOneLine, inWords } from "./format.ts";

export type FieldKind =
  | "text"
  | "long"
  | "choice"
  | "number"
  | "boolean"
  | "date"
  | "date-time"
  | "email"
  | "uri"
  | "list"
  | "rows"
  | "object"
  | "variants"
  | "file"
  | "json";

export type Fault = { readonly path: string; readonly message: string };

const LONG_NAMES =
  /^(text|body|mail|log|content|message|description|notes?|prompt|question|transcript)$/i;
const FORMATS: Readonly<Record<string, FieldKind>> = {
  date: "date",
  "date-time": "date-time",
  email: "email",
  uri: "uri",
};

export function isObject(value: Json | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const asSchema = (value: Json | undefined): JsonSchema => (isObject(value) ? value : {});

export function propertiesOf(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(asSchema(schema["properties"])).map(([name, each]) => [
    name,
    asSchema(each),
  ]);
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  return Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : [];
}

/** `string` of `["string", "null"]`. */
function typeOf(schema: JsonSchema): string | undefined {
  const { type } = schema;
  return typeof type === "string"
    ? type
    : Array.isArray(type)
      ? (type.find((each) => each !== "null") as string | undefined)
      : undefined;
}

export function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  const list = schema["oneOf"] ?? schema["anyOf"];
  return Array.isArray(list) ? list.map(asSchema) : [];
}

/** Returns the property whose `const` distinguishes the variants. */
export function discriminatorOf(schema: JsonSchema): string | undefined {
  const variants = variantsOf(schema);
  const [first] = variants;
  if (first === undefined) return undefined;
  const name = propertiesOf(first).find(([, each]) => each["const"] !== undefined)?.[0];
  const hasAll = variants.every((each) =>
    propertiesOf(each).some(
      ([other, property]) => other === name && property["const"] !== undefined,
    ),
  );
  return hasAll ? name : undefined;
}

/** Returns the only schema beside null, if there is exactly one. Its title and description stay. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const variants = variantsOf(schema);
  const [only, ...others] = variants.filter((each) => each["type"] !== "null");
  if (only === undefined || others.length > 0 || variants.length < 2) return schema;
  const { oneOf: _, anyOf: __, ...rest } = schema;
  return { ...only, ...rest };
}

export function fieldKind(whole: JsonSchema, name: string): FieldKind {
  const schema = withoutNull(whole);
  if (
    schema["x-edgecrew"] === "file" ||
    schema["format"] === "binary" ||
    Object.keys(asSchema(schema["properties"])).join() === "$file"
  )
    return "file";
  if (Array.isArray(schema["enum"])) return "choice";
  if (variantsOf(schema).length > 0)
    return discriminatorOf(schema) === undefined ? "json" : "variants";
  switch (typeOf(schema)) {
    case "string":
      return (
        FORMATS[inOneLine(schema["format"])] ??
        (Number(schema["maxLength"]) > 200 || LONG_NAMES.test(name) ? "long" : "text")
      );
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return isObject(schema["properties"]) ? "object" : "json";
    case "array": {
      const items = asSchema(schema["items"]);
      return fieldKind(items, "") === "object"
        ? "rows"
        : ["text", "number", "choice", "email", "uri", "long"].includes(fieldKind(items, ""))
          ? "list"
          : "json";
    }
    // A placeholder of a crew has no type: people write texts into it.
    case undefined:
      return Object.keys(schema).every((key) =>
        ["default", "title", "description", "examples"].includes(key),
      ) &&
        (schema["default"] === undefined || typeof schema["default"] === "string")
        ? LONG_NAMES.test(name)
          ? "long"
          : "text"
        : "json";
    default:
      return "json";
  }
}

export function labelOfField(schema: JsonSchema, name: string): string {
  return typeof schema["title"] === "string" ? schema["title"] : inWords(name);
}

/** Returns the initial value of a form: defaults, also of nested fields. Undefined without any. */
export function startValue(whole: JsonSchema): Json | undefined {
  const schema = withoutNull(whole);
  if (schema["default"] !== undefined) return schema["default"];
  if (schema["const"] !== undefined) return schema["const"];
  if (typeOf(schema) !== "object") return undefined;
  const entries = propertiesOf(schema).flatMap(([name, each]) => {
    const value = startValue(each);
    return value === undefined ? [] : [[name, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Returns the variant named by the value's discriminator. */
export function chosenVariant(schema: JsonSchema, value: Json | undefined): JsonSchema | undefined {
  const name = discriminatorOf(schema);
  if (name === undefined || !isObject(value)) return undefined;
  return variantsOf(schema).find((variant) =>
    propertiesOf(variant).some(([key, each]) => key === name && each["const"] === value[name]),
  );
}

/** True if a fault at this pointer has a field of its own. */
export function hasField(schema: JsonSchema, path: string, name = ""): boolean {
  const whole = withoutNull(schema);
  const [, part, ...below] = path.split("/");
  const kind = fieldKind(whole, name);
  if (part === undefined) return name !== "";
  if (kind === "list" || kind === "json" || kind === "file" || kind === "variants") return true;
  const rest = below.length === 0 ? "" : `/${below.join("/")}`;
  if (kind === "rows") return rest === "" || hasField(asSchema(whole["items"]), rest, part);
  const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
  const next = kind === "object" ? propertiesOf(whole).find(([each]) => each === key) : undefined;
  return next !== undefined && hasField(next[1], rest, key);
}

/**
 * Finds faults in the value, by JSON pointer: those that people can correct while they type. The server checks the
 * rest.
 */
export function checkValue(
  whole: JsonSchema,
  value: Json | undefined,
  path = "",
): readonly Fault[] {
  const schema = withoutNull(whole);
  const fault = (message: string): readonly Fault[] => [{ path, message }];
  if (value === undefined) return [];
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value))
    return fault("Choose one of the values");
  const variant = chosenVariant(schema, value);
  if (variant !== undefined) return checkValue(variant, value, path);
  const type = typeOf(schema);
  if (typeof value === "string") {
    if (type !== undefined && type !== "string")
      return fault(`This must be ${type === "integer" ? "a whole number" : `a ${type}`}`);
    if (value.length < Number(schema["minLength"] ?? 0))
      return fault(
        value === "" ? "This is needed" : `At least ${inOneLine(schema["minLength"])} characters`,
      );
    if (value.length > Number(schema["maxLength"] ?? Infinity))
      return fault(`At most ${inOneLine(schema["maxLength"])} characters`);
    if (typeof schema["pattern"] === "string" && !matches(schema["pattern"], value))
      return fault(`This does not fit ${schema["pattern"]}`);
    if (schema["format"] === "email" && !/^\S+@\S+$/.test(value))
      return fault("This is no mail address");
    if (schema["format"] === "uri" && !URL.canParse(value)) return fault("This is no address");
    return [];
  }
  if (typeof value === "number") {
    if (type === "integer" && !Number.isInteger(value)) return fault("This must be a whole number");
    if (value < Number(schema["minimum"] ?? -Infinity))
      return fault(`At least ${inOneLine(schema["minimum"])}`);
    if (value > Number(schema["maximum"] ?? Infinity))
      return fault(`At most ${inOneLine(schema["maximum"])}`);
    return [];
  }
  if (Array.isArray(value)) {
    if (value.length < Number(schema["minItems"] ?? 0))
      return fault(`At least ${inOneLine(schema["minItems"])} entries`);
    if (value.length > Number(schema["maxItems"] ?? Infinity))
      return fault(`At most ${inOneLine(schema["maxItems"])} entries`);
    return value.flatMap((each, index) =>
      checkValue(asSchema(schema["items"]), each as Json, `${path}/${index}`),
    );
  }
  if (!isObject(value)) return [];
  const missing = requiredOf(schema)
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path: `${path}/${pointerPart(name)}`, message: "This is needed" }));
  return [
    ...missing,
    ...propertiesOf(schema).flatMap(([name, each]) =>
      checkValue(each, value[name], `${path}/${pointerPart(name)}`),
    ),
  ];
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // the server knows its meaning
  }
}

export function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns a schema of texts, for a crew with names of inputs alone. */
export function schemaOfNames(names: readonly string[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: [...names],
  };
}

/** Removes unstorable fields: those marked `writeOnly`. */
export function withoutSecrets(schema: JsonSchema, value: Json): Json {
  if (!isObject(value)) return value;
  const secret = new Set(
    propertiesOf(schema)
      .filter(([, each]) => each["writeOnly"] === true)
      .map(([name]) => name),
  );
  return Object.fromEntries(Object.entries(value).filter(([name]) => !secret.has(name)));
}
