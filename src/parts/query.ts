// Reads queries of requests, and describes them.
//
//   QRY1. A parameter occurs once, unless its schema takes a list.
//   QRY2. An empty value is refused: a parameter without a value is left out.
//   QRY3. A number is written as in JSON.
import type * as z from "zod";
import type { Issue } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { valuesByName } from "../base/values-by-name.ts";
import { toIssues } from "../base/zod-issues.ts";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Checks the query against a schema. Throws `invalid_input`. */
export function readQuery(request: Request, schema: z.ZodObject): object {
  const query = valuesByName(new URL(request.url).searchParams);
  const values = Object.entries(query).map(([name, value]) => ({
    path: `/${pointerPart(name)}`,
    type: schema.shape[name],
    texts: [value].flat(),
  }));
  const empty = values.flatMap(({ path, type, texts }) =>
    type !== undefined && texts.includes("")
      ? [{ path, message: "expected a value, got an empty text" }]
      : [],
  );
  const parsed = schema.safeParse(query);
  const misfits = parsed.success ? [] : toIssues(parsed.error, query);
  const numbers = values.flatMap(({ path, type, texts }) => {
    const wrong = takesNumber(type) ? texts.find((text) => !NUMBER.test(text)) : undefined;
    return wrong === undefined
      ? []
      : [{ path, message: `expected a number, got ${preview(wrong)}` }];
  });
  const issues = firstOfEach([...empty, ...misfits, ...numbers]);
  if (parsed.success && issues.length === 0) return parsed.data;
  throw invalidInput("the query does not fit", issues);
}

function firstOfEach(issues: readonly Issue[]): readonly Issue[] {
  const byPath = new Map(issues.toReversed().map((issue) => [issue.path, issue]));
  return issues.filter((issue) => byPath.get(issue.path) === issue);
}

function takesNumber(schema: unknown): boolean {
  const { def } = (schema ?? {}) as { def?: { type?: string; innerType?: unknown } };
  if (def === undefined) return false;
  return def.type === "number" || takesNumber(def.innerType);
}

/** Returns the documented schema of a parameter read by `readQuery` (QRY2). */
export function describedValue(schema: JsonObject): JsonObject {
  const { type, items, anyOf, minLength } = schema;
  const inside = (value: JsonValue): JsonValue =>
    isJsonObject(value) ? describedValue(value) : value;
  return {
    ...schema,
    ...(type === "string" && !("enum" in schema) && !("const" in schema)
      ? { minLength: typeof minLength === "number" ? Math.max(1, minLength) : 1 }
      : undefined),
    ...(items === undefined ? undefined : { items: inside(items) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(inside) } : undefined),
  };
}
