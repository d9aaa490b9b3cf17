import type * as z from "zod";
import type { Issue } from "./error.ts";
import { pointerOf, pointerPart } from "./json-pointer.ts";
import { preview, typeName } from "./json.ts";

/** What a schema refuses, in our words: what was expected, and what came. One issue for each field. */
export function toIssues(error: z.core.$ZodError, given: unknown): readonly Issue[] {
  return error.issues.flatMap((issue) => {
    const path = pointerOf(issue.path);
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: `${path}/${pointerPart(key)}`,
        message: "is not a known field",
      }));
    }
    return [{ path, message: `${expectation(issue)}, got ${came(valueAt(given, issue.path))}` }];
  });
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${NAMES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => preview(value)).join(", ")}`;
    case "too_small":
      return `expected ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `expected ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_format":
      return issue.pattern === undefined
        ? `expected ${issue.format}`
        : `expected text that matches ${issue.pattern}`;
    default:
      return issue.message;
  }
}

const NAMES: Readonly<Record<string, string>> = { record: "object", int: "integer" };

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" || origin === "set" ? " items" : "";
}

/** `nothing`, `null`, `number 3`, `string "three"`. */
function came(value: unknown): string {
  if (value === undefined) return "nothing";
  return value === null ? "null" : `${typeName(value)} ${preview(value)}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    root,
  );
}
