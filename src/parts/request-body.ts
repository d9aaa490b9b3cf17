// Reads request bodies: bounded while reading, then decoded, parsed and checked against a schema.
import type * as z from "zod";
import { camelCase } from "../base/camel-case.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../base/json.ts";
import { toIssues } from "../base/zod-issues.ts";
import { boundedBody, utf8Text } from "../security/bounded-body.ts";
import { jsonFault } from "./json-fault.ts";
import { HttpError, invalidInput } from "./problem.ts";

const MAX_DEPTH = 100;

/** The largest request body unless an app sets `limits.maxBodyBytes`, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Reads a JSON body. A missing body counts as `{}`. Its top-level field names may be snake_case. Throws `invalid_input`. */
export async function readBody(
  request: Request,
  schema: z.ZodType<object>,
  maxBytes: number,
): Promise<object> {
  const body = camelFields(await readJson(request, maxBytes));
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidInput("the request body does not fit", toIssues(parsed.error, body));
}

/** The media type without parameters, in lower case. */
export function mediaType({ headers }: Request): string | undefined {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
}

export function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/([\w.-]+\+)?json$/.test(type);
}

export function unsupportedType(type: string | undefined, expected: string): HttpError {
  const message = `the body's content-type must be ${expected}, got ${type === undefined || type === "" ? "none" : type}`;
  return new HttpError("invalid_input", message, {
    status: 415,
    headers: { accept: expected.replaceAll(" or ", ", ") },
  });
}

/**
 * Reads a JSON body of any type. A missing body counts as `{}`; a blank one is invalid JSON. Throws `invalid_input`,
 * with 415 for another media type.
 */
export async function readJson(request: Request, maxBytes: number): Promise<JsonValue> {
  const text = await readText(request, maxBytes);
  if (text === undefined || text === "") return {};
  const type = mediaType(request);
  if (!isJsonType(type)) throw unsupportedType(type, "application/json");
  return parseJson(text);
}

/** Returns the body as text; undefined without one. A body above the limit is refused before all of it is read. */
export async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "")
    throw new HttpError(
      "invalid_input",
      `the body must have no content-encoding, got ${preview(encoding)}`,
      {
        status: 415,
        headers: { "accept-encoding": "identity" },
      },
    );
  const bytes = await boundedBody(request, maxBytes);
  return bytes === undefined ? undefined : utf8Text(bytes);
}

/** Throws `invalid_input`, with the position of the first syntax error. */
export function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    const { line, column, expected, got } = jsonFault(text);
    const message = `the request body is not JSON: at line ${line}, column ${column} expected ${expected}, got ${got}`;
    throw new EngineError("invalid_input", message, {
      cause: error,
      issues: [{ path: "", message }],
    });
  }
  checkDepth(value);
  return value;
}

/** Throws `invalid_input` for deeply nested values, which could overflow the stack of later recursive code. */
export function checkDepth(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === MAX_DEPTH)
    throw new EngineError(
      "invalid_input",
      `the request body must be nested at most ${MAX_DEPTH} deep, got more`,
    );
  for (const item of Object.values(value)) checkDepth(item, depth + 1);
}

/** The body with top-level field names in camelCase. If both forms of a name occur, both stay, and the schema refuses one. */
function camelFields(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const camel = camelCase(name);
      return [Object.hasOwn(value, camel) ? name : camel, field];
    }),
  );
}
