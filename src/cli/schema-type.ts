// Writes JSON Schema as a TypeScript type without imports.
//
//   SCT1. Formats, bounds and patterns have no type form and are left out. A schema without a matching type is
//         `unknown`, never a wrong type.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

const MAX_DEPTH = 12;

export type SchemaTypeOptions = {
  /** True if a field with a default is always present: so it is in the state of a run, but not in its inputs. */
  readonly defaultsAreSet?: boolean;
};

/** Writes the type, with a line for each field. */
export function schemaType(schema: JsonValue | undefined, options: SchemaTypeOptions = {}): string {
  return typeOf(schema, { root: schema, depth: 0, within: [], defaultsAreSet: false, ...options });
}

type Place = {
  readonly root: JsonValue | undefined;
  readonly depth: number;
  /** References in resolution. */
  readonly within: readonly string[];
  readonly defaultsAreSet: boolean;
};

function typeOf(schema: JsonValue | undefined, place: Place): string {
  if (!isJsonObject(schema) || place.depth > MAX_DEPTH)
    return schema === false ? "never" : "unknown";
  const deeper = { ...place, depth: place.depth + 1 };
  const { $ref: ref, const: only, enum: values, type, anyOf, oneOf, allOf } = schema;
  if (typeof ref === "string")
    return place.within.includes(ref)
      ? "unknown"
      : typeOf(referenced(place.root, ref), { ...deeper, within: [...place.within, ref] });
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return union(values.map(literal));
  const either = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(either)) return union(either.map((each) => typeOf(each, deeper)));
  if (Array.isArray(allOf)) {
    const own = type === undefined && schema["properties"] === undefined ? [] : [bare(schema)];
    return [...own, ...allOf].map((each) => bracketed(typeOf(each, deeper))).join(" & ");
  }
  const types = Array.isArray(type) ? type : [type];
  return union(types.map((each) => typeNamed(each, schema, place)));
}

function bare(schema: JsonObject): JsonObject {
  const { allOf: _, ...rest } = schema;
  return rest;
}

function typeNamed(type: JsonValue | undefined, schema: JsonObject, place: Place): string {
  const deeper = { ...place, depth: place.depth + 1 };
  const { items, prefixItems, properties } = schema;
  switch (type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return type;
    case "integer":
      return "number";
    case "array":
      if (Array.isArray(prefixItems)) {
        const rest = items === undefined || items === false ? [] : [`...${listOf(items, deeper)}`];
        return `[${[...prefixItems.map((each) => typeOf(each, deeper)), ...rest].join(", ")}]`;
      }
      return listOf(items, deeper);
    case "object":
      return objectType(schema, place);
    default:
      return isJsonObject(properties) ? objectType(schema, place) : "unknown";
  }
}

function listOf(items: JsonValue | undefined, place: Place): string {
  return `Array<${typeOf(items, place)}>`;
}

function objectType(schema: JsonObject, place: Place): string {
  const { properties, required, additionalProperties: more } = schema;
  const deeper = { ...place, depth: place.depth + 1 };
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, field]) => {
    const isSet =
      needed.has(name) ||
      (place.defaultsAreSet && isJsonObject(field) && field["default"] !== undefined);
    return `${comment(field)}${JSON.stringify(name)}${isSet ? "" : "?"}: ${typeOf(field, deeper)};`;
  });
  const isOpen = more === true || isJsonObject(more);
  if (fields.length === 0) {
    if (more === false) return "Record<string, never>";
    return `Record<string, ${isJsonObject(more) ? typeOf(more, deeper) : "unknown"}>`;
  }
  // With a typed index, fields of other types would be invalid.
  const rest = isOpen ? ["[name: string]: unknown;"] : [];
  const lines = [...fields, ...rest].join("\n").replaceAll(/^/gm, "  ");
  return `{\n${lines}\n}`;
}

function comment(field: JsonValue): string {
  const text = isJsonObject(field) ? field["description"] : undefined;
  if (typeof text !== "string" || text.trim() === "") return "";
  return `/** ${text.replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/").trim()} */\n`;
}

function referenced(root: JsonValue | undefined, ref: string): JsonValue | undefined {
  if (!ref.startsWith("#")) return undefined;
  return ref
    .slice(1)
    .split("/")
    .slice(1)
    .reduce<JsonValue | undefined>((value, part) => {
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }, root);
}

/** A list or an object has no literal type. */
function literal(value: JsonValue): string {
  return typeof value === "object" && value !== null ? "unknown" : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  if (all.includes("unknown") || all.length === 0) return "unknown";
  return all.length === 1 ? (all[0] ?? "unknown") : all.join(" | ");
}

function bracketed(type: string): string {
  return / [&|] /.test(type) ? `(${type})` : type;
}
