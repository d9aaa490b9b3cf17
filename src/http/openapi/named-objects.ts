// Gives every object in the document's shapes a name of its own: generated clients make a type of each, and some
// generators cannot read objects inside unions, nor definitions inside a schema.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;

/** Returns the schemas as components, with their nested objects as further components. Equal objects share one name. */
export function namedObjects(
  schemas: Readonly<Record<string, JsonObject>>,
): Readonly<Record<string, JsonObject>> {
  const components = new Components(Object.keys(schemas));
  for (const [name, schema] of Object.entries(schemas)) components.add(name, schema);
  return components.all;
}

class Components {
  readonly all: Record<string, JsonObject> = {};
  /** Names of nested objects, by their JSON. */
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** Adds a schema with its definitions and nested objects. */
  add(name: string, schema: JsonObject): void {
    const { $defs = {}, ...rest } = withoutAnyJson(schema) as JsonObject & { $defs?: JsonObject };
    const renamed = new Map(
      Object.keys($defs).map((key) => [
        key,
        this.#uniqueName(`${name}${capital(key.replace(/^_+/, ""))}`),
      ]),
    );
    const located = (value: JsonObject): JsonObject => relocated(value, name, renamed);
    this.all[name] = this.#within(located(rest), name);
    for (const [key, value] of Object.entries($defs)) {
      const own = renamed.get(key) ?? key;
      if (isJsonObject(value)) this.all[own] = this.#within(located(value), own);
    }
  }

  #uniqueName(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}${count}`;
    this.#taken.add(name);
    return name;
  }

  /** Returns a nested schema; for an object, a reference to its component. */
  #inside(schema: JsonValue, name: string): JsonValue {
    if (!isJsonObject(schema)) return schema;
    const whole = this.#within(schema, name);
    if (whole["type"] !== "object" || whole["properties"] === undefined) return whole;
    const text = JSON.stringify(whole);
    let known = this.#names.get(text);
    if (known === undefined) {
      known = this.#uniqueName(name);
      this.#names.set(text, known);
      this.all[known] = whole;
    }
    return { $ref: `#/components/schemas/${known}` };
  }

  #within(schema: JsonObject, name: string): JsonObject {
    const { properties, items, additionalProperties } = schema;
    const lists = LISTS.flatMap((key) => {
      const list = schema[key];
      if (!Array.isArray(list)) return [];
      return [[key, list.map((each, index) => this.#inside(each, `${name}${index + 1}`))] as const];
    });
    return {
      ...schema,
      ...(isJsonObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [
            key,
            this.#inside(value, `${name}${capital(key)}`),
          ]),
        ),
      }),
      ...(items !== undefined && { items: this.#inside(items, `${name}Item`) }),
      ...(additionalProperties !== undefined && {
        additionalProperties: this.#inside(additionalProperties, `${name}Value`),
      }),
      ...Object.fromEntries(lists),
    };
  }
}

/**
 * Replaces spelled-out schemas of any JSON by an empty schema, because few generators finish with the spelled-out form.
 */
function withoutAnyJson(schema: JsonObject): JsonObject {
  if (isAnyJson(schema, "#")) return {};
  const { $defs = {}, ...rest } = schema as JsonObject & { $defs?: JsonObject };
  const any = Object.keys($defs).filter((key) => isAnyJson($defs[key] ?? null, `#/$defs/${key}`));
  const others = Object.entries($defs).filter(([key]) => !any.includes(key));
  const text = JSON.stringify({ ...rest, $defs: Object.fromEntries(others) });
  return JSON.parse(
    any.reduce((changed, key) => changed.replaceAll(`{"$ref":"#/$defs/${key}"}`, "{}"), text),
  ) as JsonObject;
}

/** True for a union of all JSON types whose arrays and objects contain the union itself. */
function isAnyJson(schema: JsonValue, self: string): boolean {
  if (!isJsonObject(schema) || !Array.isArray(schema["anyOf"])) return false;
  const types = new Set(
    schema["anyOf"].map((each) => (isJsonObject(each) ? each["type"] : undefined)),
  );
  return (
    ["string", "number", "boolean", "null", "array", "object"].every((type) => types.has(type)) &&
    JSON.stringify(schema).includes(`"$ref":"${self}"`)
  );
}

/** Redirects references inside a schema to its component, and those to its definitions to their components. */
function relocated(
  schema: JsonObject,
  name: string,
  definitions: ReadonlyMap<string, string>,
): JsonObject {
  const text = JSON.stringify(schema)
    .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`)
    .replaceAll(/"\$ref":"#\/\$defs\/([^"]+)"/g, (whole, key: string) => {
      const own = definitions.get(key);
      return own === undefined ? whole : `"$ref":"#/components/schemas/${own}"`;
    });
  return JSON.parse(text) as JsonObject;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll(/[^\w]/g, "_");
}
