// Conversion of texts from front ends and command lines into values of the state's types, like pydantic's lax mode.
//
//   LXI1. Only an input whose schema refuses its type is converted.
//   LXI2. A text becomes a number or a boolean, 0 and 1 a boolean, a boolean a number. No value becomes a text.
//   LXI3. An input without a value of the type stays unchanged: the schema refuses it.
import type * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Types of a field, by the words of zod and of JSON Schema. */
type Expected = "int" | "integer" | "number" | "boolean";

type Conversion = {
  readonly path: readonly PropertyKey[];
  readonly expected: readonly string[];
};

/** Returns `values` with inputs converted to the types the schema expects. */
export function laxInputs(
  schema: z.ZodType<object>,
  values: JsonObject,
  inputs: JsonObject,
): JsonObject {
  const parsed = schema.safeParse(values);
  if (parsed.success) return values;
  return parsed.error.issues
    .flatMap(conversionsOf)
    .filter(({ path: [field] }) => typeof field === "string" && Object.hasOwn(inputs, field))
    .reduce((converted, conversion) => convertedAt(converted, conversion) as JsonObject, values);
}

function conversionsOf(issue: z.core.$ZodIssue): Conversion[] {
  const { path } = issue;
  switch (issue.code) {
    case "invalid_type":
      return [{ path, expected: [issue.expected] }];
    case "custom": {
      // A fault of a declared flow's JSON schema, in the words of base/json-schema.ts.
      const types = /^expected ([a-z]+(?: or [a-z]+)*)$/.exec(issue.message)?.[1];
      return types === undefined ? [] : [{ path, expected: types.split(" or ") }];
    }
    case "invalid_union":
      // Branches that refuse the whole value for its type, in the order of the schema.
      return [
        {
          path,
          expected: issue.errors.flatMap((branch) =>
            branch.flatMap((each) =>
              each.code === "invalid_type" && each.path.length === 0 ? [each.expected] : [],
            ),
          ),
        },
      ];
    default:
      return [];
  }
}

function convertedAt(
  value: JsonValue | undefined,
  { path, expected }: Conversion,
): JsonValue | undefined {
  const [key, ...rest] = path;
  if (value === undefined) return undefined;
  if (key === undefined) return valueOf(value, expected);
  const inner = { path: rest, expected };
  if (Array.isArray(value))
    return value.map((item: JsonValue, index) =>
      // JSON pointers have texts for the places of a list.
      String(index) === String(key) ? (convertedAt(item, inner) ?? item) : item,
    );
  if (!isJsonObject(value) || typeof key !== "string" || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: convertedAt(value[key], inner) ?? null };
}

function valueOf(value: JsonValue, expected: readonly string[]): JsonValue {
  for (const type of expected) {
    const read = READERS[type as Expected]?.(value);
    if (read !== undefined) return read;
  }
  return value;
}

const READERS: { readonly [Type in Expected]: (value: JsonValue) => JsonValue | undefined } = {
  int: wholeNumber,
  integer: wholeNumber,
  number: decimalNumber,
  boolean: truth,
};

const WHOLE = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function wholeNumber(value: JsonValue): number | undefined {
  return typeof value === "string" && !WHOLE.test(value.trim()) ? undefined : decimalNumber(value);
}

function decimalNumber(value: JsonValue): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || !DECIMAL.test(value.trim())) return undefined;
  const number = Number(value.trim().replaceAll("_", ""));
  return Number.isFinite(number) ? number : undefined;
}

const TRUE: ReadonlySet<JsonValue> = new Set(["1", "on", "t", "true", "y", "yes", 1]);
const FALSE: ReadonlySet<JsonValue> = new Set(["0", "off", "f", "false", "n", "no", 0]);

function truth(value: JsonValue): boolean | undefined {
  const word = typeof value === "string" ? value.toLowerCase() : value;
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : undefined;
}
