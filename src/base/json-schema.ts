// Checks values against JSON Schemas from data: stored crews, waits, protocols. Evaluates no code.
import type { Issue } from "./error.ts";
import { faultsOf, type Fault } from "./json-schema-check.ts";
import { checkPatterns, compileSchema } from "./json-schema-compile.ts";
import { preview, type JsonObject } from "./json.ts";

const MAX_ISSUES = 20;

/**
 * Returns the faults of `value`, at most 20; empty if it fits. Caches compiled schemas by identity.
 *
 * Throws `invalid_definition` for an unusable schema, or one needing too much work for the value.
 */
export function validateJsonSchema(schema: JsonObject, value: unknown): Issue[] {
  if (value === undefined) return [{ path: "", message: "expected a value, got nothing" }];
  return faultsOf(compileSchema(schema), value).slice(0, MAX_ISSUES).map(toIssue);
}

/**
 * Throws `invalid_definition` for a schema that must not be stored: unreadable, endlessly self-referencing, with too
 * many steps for one value, or with patterns that cannot run in linear time.
 */
export function checkJsonSchema(schema: JsonObject): void {
  compileSchema(schema);
  checkPatterns(schema);
}

function toIssue(fault: Fault): Issue {
  return { path: fault.path, message: `${expectation(fault)}, got ${preview(fault.value)}` };
}

function expectation({ keyword, rule, property }: Fault): string {
  const shown = Array.isArray(rule)
    ? rule.map((item) => preview(item, 60)).join(", ")
    : preview(rule, 200);
  switch (keyword) {
    case "type":
      return `expected ${Array.isArray(rule) ? rule.join(" or ") : String(rule)}`;
    case "required":
      return `expected a property ${JSON.stringify(property)}`;
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
      return `expected ${keyword} to hold, which is ${shown}`;
  }
}
