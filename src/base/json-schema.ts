// Checks values against JSON Schemas that came as data: stored crews, waits, protocols. Evaluates no code.
import { Validator } from "@cfworker/json-schema";
import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
import { EngineError, errorMessage, type Issue } from "./error.ts";
import { partsOfPointer } from "./json-pointer.ts";
import { preview, type JsonObject } from "./json.ts";

const MAX_ISSUES = 20;

/**
 * What is wrong with `value`, at most 20 fields of it; empty when it fits. Compiled schemas are remembered by identity.
 *
 * Throws `invalid_definition` for a schema that cannot be used.
 */
export function validateJsonSchema(schema: JsonObject, value: unknown): Issue[] {
  if (value === undefined) return [{ path: "", message: "expected a value, got nothing" }];
  let errors: readonly OutputUnit[];
  try {
    ({ errors } = validatorOf(schema).validate(value));
  } catch (error) {
    throw new EngineError(
      "invalid_definition",
      `the JSON Schema cannot be used: ${errorMessage(error)}`,
      { cause: error },
    );
  }
  return errors
    .filter((error, index) => isInnermost(error, errors[index + 1]))
    .slice(0, MAX_ISSUES)
    .map((error) => toIssue(error, { schema, value }));
}

const validators = new WeakMap<JsonObject, Validator>();

function validatorOf(schema: JsonObject): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  // The library marks the schemas it has seen, so it gets its own copy.
  const validator = new Validator(structuredClone(schema), draftOf(schema), false);
  validators.set(schema, validator);
  return validator;
}

function draftOf(schema: JsonObject): SchemaDraft {
  const named = /draft-0([47])|(2019-09)/.exec(JSON.stringify(schema["$schema"] ?? ""));
  return (named?.[1] ?? named?.[2] ?? "2020-12") as SchemaDraft;
}

/** Keywords that pass on their subschemas' errors, and say nothing of their own when those follow. */
const WRAPPERS: ReadonlySet<string> = new Set(
  (
    "properties patternProperties additionalProperties unevaluatedProperties " +
    "items prefixItems additionalItems unevaluatedItems allOf if $ref $recursiveRef"
  ).split(" "),
);

function isInnermost(error: OutputUnit, next: OutputUnit | undefined): boolean {
  return (
    !WRAPPERS.has(error.keyword) ||
    next === undefined ||
    !next.instanceLocation.startsWith(error.instanceLocation)
  );
}

function toIssue(
  error: OutputUnit,
  { schema, value }: { schema: JsonObject; value: unknown },
): Issue {
  const path = decodeURIComponent(error.instanceLocation.slice(1));
  const rule = valueAt(schema, decodeURIComponent(error.keywordLocation.slice(1)));
  return { path, message: `${expectation(error, rule)}, got ${preview(valueAt(value, path))}` };
}

function expectation({ keyword, error }: OutputUnit, rule: unknown): string {
  const shown = Array.isArray(rule)
    ? rule.map((item) => preview(item, 60)).join(", ")
    : preview(rule, 200);
  switch (keyword) {
    case "type":
      return `expected ${Array.isArray(rule) ? rule.join(" or ") : String(rule)}`;
    case "required":
      return `expected a property ${/"(.*)"/.exec(error)?.[0] ?? ""}`;
    case "enum":
      return `expected one of ${shown}`;
    case "const":
      return `expected ${shown}`;
    case "minLength":
      return `expected at least ${shown} characters`;
    case "maxLength":
      return `expected at most ${shown} characters`;
    case "minItems":
      return `expected at least ${shown} items`;
    case "maxItems":
      return `expected at most ${shown} items`;
    case "minimum":
      return `expected at least ${shown}`;
    case "maximum":
      return `expected at most ${shown}`;
    case "exclusiveMinimum":
      return `expected more than ${shown}`;
    case "exclusiveMaximum":
      return `expected less than ${shown}`;
    case "multipleOf":
      return `expected a multiple of ${shown}`;
    case "pattern":
      return `expected text that matches ${String(rule)}`;
    case "format":
      return `expected the format ${String(rule)}`;
    case "uniqueItems":
      return "expected items that differ";
    case "anyOf":
    case "oneOf":
      return `expected ${keyword === "anyOf" ? "at least" : "exactly"} one of ${Array.isArray(rule) ? rule.length : "the"} alternatives to fit`;
    case "false":
      return "expected no such field";
    default:
      return `expected ${keyword} to hold (${error.replace(/\.$/, "")})`;
  }
}

/** What a JSON pointer leads to; follows `$ref`s within the same document. */
function valueAt(root: unknown, pointer: string): unknown {
  let current = root;
  for (const key of partsOfPointer(pointer)) {
    if (typeof current !== "object" || current === null) return undefined;
    const next: unknown = (current as Record<string, unknown>)[key];
    current =
      key === "$ref" && typeof next === "string"
        ? valueAt(root, decodeURIComponent(next.slice(1)))
        : next;
  }
  return current;
}
