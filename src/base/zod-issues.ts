import type * as z from "zod";
import type { Issue } from "./error.ts";
import { pointerOf, pointerPart } from "./json-pointer.ts";
import { preview, typeName } from "./json.ts";
import { isSecretName } from "./secret-name.ts";

/** Maximum number of reported faults. */
export const MAX_ISSUES = 50;

/**
 * Converts a schema's issues to messages with the expected and the actual value: one for each field, at most 50. Values
 * of secret fields, recognized by their names, are not quoted.
 */
export function toIssues(error: z.core.$ZodError, value: unknown): readonly Issue[] {
  const issues: Issue[] = [];
  for (const whole of error.issues) {
    if (issues.length >= MAX_ISSUES) break;
    for (const issue of withinUnion(whole)) issues.push(...issuesOf(issue, value));
  }
  return issues.slice(0, MAX_ISSUES);
}

function issuesOf(issue: z.core.$ZodIssue, value: unknown): readonly Issue[] {
  const path = pointerOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      path: `${path}/${pointerPart(key)}`,
      message: "is not a known field",
    }));
  }
  const found = valueAt(value, issue.path);
  const got = issue.path.some((key) => isSecretName(String(key)))
    ? nameOf(found)
    : described(found);
  return [{ path, message: `${expectation(issue)}, got ${got}` }];
}

/**
 * Returns the issues within the matching form of a union: the only form of the value's kind, or the form whose fixed
 * values (`type: "text"`) match. Without such a match, returns the allowed fixed values; else the union's own issue.
 */
function withinUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const forms = issue.errors
    .map((form) => form.flatMap(withinUnion))
    .filter((form) => form.length > 0 && form.every(isOfKind));
  const meant = forms.length === 1 ? forms[0] : forms.find((form) => !form.some(isWrongValue));
  const found = meant ?? tagFault(forms);
  if (found === undefined) return [issue];
  return found.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Returns the fault of the field that distinguishes the forms, with the values of all of them. */
function tagFault(forms: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] | undefined {
  const tags = forms.map((form) => form.find(isWrongValue)).filter((tag) => tag !== undefined);
  const [tag] = tags;
  if (tag === undefined) return undefined;
  const place = pointerOf(tag.path);
  if (tags.some(({ path }) => pointerOf(path) !== place)) return undefined;
  return [{ ...tag, values: tags.flatMap(({ values }) => values) }];
}

function isWrongValue(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidValue {
  return issue.code === "invalid_value";
}

/** True for a fault of a value with the expected kind. */
function isOfKind({ code, path }: z.core.$ZodIssue): boolean {
  return path.length > 0 || !["invalid_type", "invalid_value", "invalid_union"].includes(code);
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
    case "invalid_union": {
      const forms = issue.errors.flatMap((form) => form.slice(0, 1).map(expectation));
      if (forms.length === 0) return issue.message.replace(/^.*\. Expected /, "expected one of ");
      const each = new Set(forms.map((form) => form.replace(/^expected /, "")));
      return `expected ${[...each].join(" or ")}`;
    }
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
function described(value: unknown): string {
  if (value === undefined || value === null) return nameOf(value);
  return `${typeName(value)} ${preview(withoutSecretFields(value))}`;
}

function nameOf(value: unknown): string {
  return value === undefined ? "nothing" : typeName(value);
}

/** Returns the quoted portion of a value, with secret fields masked by their names. */
function withoutSecretFields(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_QUOTED_DEPTH) return value;
  if (Array.isArray(value))
    return value.slice(0, MAX_QUOTED).map((item) => withoutSecretFields(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_QUOTED)
      .map(([key, item]) => [key, isSecretName(key) ? "…" : withoutSecretFields(item, depth + 1)]),
  );
}

/** The length limit of quotes cuts off the rest. */
const MAX_QUOTED = 100;
const MAX_QUOTED_DEPTH = 100;

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    root,
  );
}
