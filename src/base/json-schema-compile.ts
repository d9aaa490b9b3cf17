import { dereference } from "@cfworker/json-schema";
import { EngineError, errorMessage } from "./error.ts";
import { preview, type JsonObject } from "./json.ts";
import { linearPattern } from "./linear-pattern.ts";

/** A schema with resolved references. */
export type CompiledSchema = {
  readonly root: Schema;
  readonly draft: Draft;
  /** Resolves a reference. Throws `invalid_definition` for a missing target. */
  readonly target: (schema: SchemaObject, keyword: "$ref" | "$recursiveRef") => Schema;
  /** False if the checker need not track evaluated properties and items. */
  readonly hasUnevaluated: boolean;
};

export type Draft = "4" | "7" | "2019-09" | "2020-12";
export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Maximum steps of a schema at one place of a value, for any value. */
const MAX_STEPS_AT_ONE_PLACE = 10_000;
const MAX_SCHEMA_DEPTH = 200;

/** Keywords whose schemas apply to the same value as their enclosing schema. */
const IN_PLACE = ["not", "if", "then", "else"] as const;
const IN_PLACE_LISTS = ["allOf", "anyOf", "oneOf"] as const;

const compiled = new WeakMap<JsonObject, CompiledSchema>();

/** Compiles a schema. Throws `invalid_definition` for an unusable one. Caches by identity. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  checkSchemaDepth(schema, 0);
  const text = JSON.stringify(schema);
  // A copy, because resolving references marks the schemas.
  const root = JSON.parse(text) as SchemaObject;
  let lookup: Readonly<Record<string, Schema>>;
  try {
    lookup = dereference(root);
  } catch (error) {
    throw unusable(errorMessage(error));
  }
  const made: CompiledSchema = {
    root,
    draft: draftOf(schema),
    hasUnevaluated: text.includes('"unevaluated'),
    target: (from, keyword) => {
      const uri = from[keyword === "$ref" ? "__absolute_ref__" : "__absolute_recursive_ref__"];
      const found = typeof uri === "string" && uri in lookup ? lookup[uri] : undefined;
      if (found === undefined) throw unusable(`nothing is at ${keyword} ${preview(from[keyword])}`);
      return found;
    },
  };
  checkWork(made, root);
  compiled.set(schema, made);
  return made;
}

/** Throws `invalid_definition` for patterns without a linear-time form. */
export function checkPatterns(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const patterns =
      keyword === "pattern" && typeof value === "string"
        ? [value]
        : keyword === "patternProperties" && isSchemaObject(value)
          ? Object.keys(value)
          : [];
    for (const pattern of patterns)
      if (linearPattern(pattern) === undefined)
        throw unusable(
          `pattern ${preview(pattern)} must be a regular expression without look-around and back references, of at most 4,096 characters and 3,000 steps, so that it runs in linear time`,
        );
    if (!NO_SCHEMAS.has(keyword)) checkPatterns(value);
  }
}

const NO_SCHEMAS: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function unusable(reason: string): EngineError {
  return new EngineError("invalid_definition", `the JSON Schema cannot be used: ${reason}`);
}

function draftOf(schema: JsonObject): Draft {
  const named = /draft-0([47])|(2019-09)/.exec(JSON.stringify(schema["$schema"] ?? ""));
  return (named?.[1] ?? named?.[2] ?? "2020-12") as Draft;
}

function checkSchemaDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === MAX_SCHEMA_DEPTH) throw unusable(`it is nested more than ${MAX_SCHEMA_DEPTH} deep`);
  for (const item of Object.values(value)) checkSchemaDepth(item, depth + 1);
}

/** Throws for circular references that do not descend into the value, and for too many steps at one place. */
function checkWork(compiledSchema: CompiledSchema, root: SchemaObject): void {
  const steps = new Map<SchemaObject, number>();
  const open = new Set<SchemaObject>();
  const stepsOf = (schema: unknown): number => {
    if (!isSchemaObject(schema)) return 1;
    const known = steps.get(schema);
    if (known !== undefined) return known;
    if (open.has(schema))
      throw unusable(
        `it refers to itself without an end${typeof schema["$ref"] === "string" ? ` ($ref ${preview(schema["$ref"])})` : ""}: a reference has to lead into properties or items first`,
      );
    if (open.size > 1_000) throw unusable("more than 1,000 references follow each other");
    open.add(schema);
    let sum = 1;
    if (typeof schema["$ref"] === "string") sum += stepsOf(compiledSchema.target(schema, "$ref"));
    for (const keyword of IN_PLACE) if (keyword in schema) sum += stepsOf(schema[keyword]);
    for (const keyword of IN_PLACE_LISTS) {
      const list = schema[keyword];
      if (Array.isArray(list)) for (const each of list) sum += stepsOf(each);
    }
    for (const keyword of ["dependentSchemas", "dependencies"])
      if (isSchemaObject(schema[keyword]))
        for (const each of Object.values(schema[keyword])) sum += stepsOf(each);
    open.delete(schema);
    steps.set(schema, sum);
    if (sum > MAX_STEPS_AT_ONE_PLACE)
      throw unusable(
        `its references and alternatives come to more than ${MAX_STEPS_AT_ONE_PLACE} checks of one value`,
      );
    return sum;
  };
  const seen = new Set<object>();
  const visit = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
    seen.add(schema);
    if (isSchemaObject(schema)) stepsOf(schema);
    for (const [keyword, value] of Object.entries(schema))
      if (!NO_SCHEMAS.has(keyword)) visit(value);
  };
  visit(root);
}
