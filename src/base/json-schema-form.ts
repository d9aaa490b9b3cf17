// Finds faults in a JSON Schema written by a person, each with its place.
//
//   JSF1. A keyword with a value of the wrong form, which a check would ignore or never satisfy, is a fault.
//   JSF2. A reference points to a place in the schema itself: no schema is fetched.
//   JSF3. An object without a single keyword of JSON Schema is refused: it would accept every value.
import { errorMessage, type Issue } from "./error.ts";
import { pointerPart } from "./json-pointer.ts";
import { checkJsonSchema } from "./json-schema.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "./json.ts";

/** Maximum length accepted by providers. */
const MAX_CHARACTERS = 100_000;

const MAX_DEPTH = 200;

const TYPES: readonly unknown[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
];

type Form = readonly [expected: string, fits: (value: JsonValue) => boolean];

const isText = (value: JsonValue): boolean => typeof value === "string";
const isSchema = (value: JsonValue): boolean => typeof value === "boolean" || isJsonObject(value);
const isList = (value: JsonValue): value is JsonValue[] => Array.isArray(value);

const TYPE: Form = [
  `one of ${TYPES.join(", ")}, or a list of these`,
  (value) => [value].flat().every((each) => TYPES.includes(each)),
];
const SCHEMA: Form = ["a schema", isSchema];
const SCHEMAS: Form = [
  "a list of schemas",
  (value) => isList(value) && value.length > 0 && value.every(isSchema),
];
const NAMED: Form = ["a mapping of names to schemas", isJsonObject];
const TEXT: Form = ["a text", isText];
const TEXTS: Form = ["a list of texts", (value) => isList(value) && value.every(isText)];
const VALUES: Form = ["a list of values", (value) => isList(value) && value.length > 0];
const COUNT: Form = [
  "a whole number from 0",
  (value) => Number.isInteger(value) && Number(value) >= 0,
];
const NUMBER: Form = ["a number", (value) => typeof value === "number"];
const STEP: Form = ["a number above 0", (value) => typeof value === "number" && value > 0];
const REFERENCE: Form = [
  "a reference within the schema, such as #/$defs/Point (remote schemas are not fetched)",
  (value) => typeof value === "string" && value.startsWith("#"),
];
const NONE: Form = ["no such keyword, as it is not checked here: use $ref", () => false];

function forms(form: Form, keywords: string): (readonly [string, Form])[] {
  return keywords.split(" ").map((keyword) => [keyword, form]);
}

const FORMS: ReadonlyMap<string, Form> = new Map([
  ...forms(TYPE, "type"),
  ...forms(SCHEMA, "additionalProperties contains not if then else propertyNames"),
  ...forms(SCHEMAS, "allOf anyOf oneOf prefixItems"),
  ...forms(NAMED, "properties patternProperties $defs definitions dependentSchemas"),
  ...forms(TEXT, "description pattern format"),
  ...forms(TEXTS, "required"),
  ...forms(VALUES, "enum"),
  ...forms(COUNT, "minLength maxLength minItems maxItems minProperties maxProperties"),
  ...forms(NUMBER, "minimum maximum"),
  ...forms(STEP, "multipleOf"),
  ...forms(REFERENCE, "$ref"),
  ...forms(NONE, "$dynamicRef $recursiveRef"),
]);
/** Checked as well, with a form that is free or differs between drafts. */
const OTHERS = new Set(["items", "const", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"]);

/** Returns the faults of a schema, with pointers into it; empty if values can be checked with it. */
export function schemaFaults(schema: JsonObject): readonly Issue[] {
  const keywords = Object.keys(schema);
  if (!keywords.some((keyword) => FORMS.has(keyword) || OTHERS.has(keyword)))
    return whole(
      `expected a JSON Schema, such as { "type": "object", "properties": { … } }, got ${preview(schema)}`,
    );
  const found = faultsIn(schema, "", 0);
  if (found.length > 0) return found;
  try {
    checkJsonSchema(schema);
  } catch (error) {
    return whole(errorMessage(error));
  }
  const { length } = JSON.stringify(schema);
  const most = `expected at most ${MAX_CHARACTERS} characters as JSON, got ${length}`;
  return length > MAX_CHARACTERS ? whole(most) : [];
}

function whole(message: string): readonly Issue[] {
  return [{ path: "", message }];
}

function faultsIn(schema: JsonValue, path: string, depth: number): readonly Issue[] {
  // Deeper schemas are refused as a whole.
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return [];
  return Object.entries(schema).flatMap(([keyword, value]): readonly Issue[] => {
    const at = `${path}/${pointerPart(keyword)}`;
    const form = FORMS.get(keyword);
    if (form === undefined) return keyword === "items" ? below(value, at, depth) : [];
    const [expected, fits] = form;
    if (!fits(value)) return [{ path: at, message: `expected ${expected}, got ${preview(value)}` }];
    if (form === SCHEMA) return faultsIn(value, at, depth + 1);
    if (form === SCHEMAS) return below(value, at, depth);
    if (form !== NAMED) return [];
    return Object.entries(value as JsonObject).flatMap(([name, each]) => {
      const place = `${at}/${pointerPart(name)}`;
      return isSchema(each)
        ? faultsIn(each, place, depth + 1)
        : [{ path: place, message: `expected a schema, got ${preview(each)}` }];
    });
  });
}

function below(value: JsonValue, path: string, depth: number): readonly Issue[] {
  if (!isList(value)) return faultsIn(value, path, depth + 1);
  return value.flatMap((each, index) => faultsIn(each, `${path}/${index}`, depth + 1));
}
