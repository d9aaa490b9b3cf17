// Resolves references between the schemas of one document: by pointer, `$id` and `$anchor`.
import { EngineError } from "./error.ts";
import { pointerPart } from "./json-pointer.ts";
import { isObject, type Values } from "./json-schema-values.ts";

type Schema = boolean | Values;
type ReferenceKeyword = "$ref" | "$recursiveRef";

/** The address of a schema that has no `$id`. */
const NO_ADDRESS = "https://schema.invalid/";

/** Keywords that hold a list of schemas. */
const LISTS: ReadonlySet<string> = new Set(["prefixItems", "items", "allOf", "anyOf", "oneOf"]);
/** Keywords that hold schemas by name. */
const MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
]);
/** Keywords whose objects are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["default", "enum", "const", "dependentRequired"]);

/** Returns what finds the schema that a reference leads to. Throws for an address that two schemas have. */
export function schemaReferences(
  root: Schema,
): (from: Values, keyword: ReferenceKeyword) => Schema | undefined {
  const found = new Map<string, Schema>();
  const targets = { $ref: new Map<Values, string>(), $recursiveRef: new Map<Values, string>() };

  const add = (schema: unknown, base: string, pointer: string): void => {
    if (typeof schema !== "boolean" && !isObject(schema)) return;
    let document = base;
    if (typeof schema === "object") {
      const id = schema["$id"] ?? schema["id"];
      if (typeof id === "string" && id !== "") {
        const address = addressOf(id, base);
        if (!address.endsWith("#")) found.set(address, schema);
        else if (pointer === "") document = address.slice(0, -1);
        else add(schema, base, "");
      }
    }
    const address = `${document}#${pointer}`;
    const known = found.get(address);
    if (known !== undefined && known !== schema)
      throw new EngineError("invalid_definition", `two schemas have the address ${address}`);
    found.set(address, schema);
    if (typeof schema === "boolean") return;
    for (const keyword of ["$ref", "$recursiveRef"] as const) {
      const reference = schema[keyword];
      if (typeof reference === "string" && !targets[keyword].has(schema))
        targets[keyword].set(schema, addressOf(reference, document));
    }
    if (typeof schema["$anchor"] === "string")
      found.set(`${document}#${schema["$anchor"]}`, schema);
    for (const [keyword, value] of Object.entries(schema)) {
      const at = `${pointer}/${pointerPart(keyword)}`;
      if (Array.isArray(value) ? LISTS.has(keyword) : MAPS.has(keyword) && isObject(value))
        for (const [key, each] of Object.entries(value as object))
          add(each, document, `${at}/${pointerPart(key)}`);
      else if (!VALUES.has(keyword)) add(value, document, at);
    }
  };
  add(root, NO_ADDRESS, "");
  return (from, keyword) => found.get(targets[keyword].get(from) ?? "");
}

/** An address in full, with its part after `#` as it is meant. */
function addressOf(reference: string, base: string): string {
  const url = new URL(reference, base);
  const encoded = url.hash.slice(1);
  url.hash = "";
  return `${url.href}#${decoded(encoded)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
