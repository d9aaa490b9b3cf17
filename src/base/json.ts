/** JSON values: the only kind of value in a journal, a queue, an RPC or HTTP. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a JSON text; undefined for any other text. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses a JSON text that is an object; undefined for any other text. */
export function parsedObject(text: string): JsonObject | undefined {
  const value = parsedJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Parses a JSON text; returns any other text unchanged. */
export function jsonOrText(text: string): JsonValue {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

/** Names the type of a value in the words of an error message: `null`, `array`, `object`, `string`, ... */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Shows a value in an error message, cut to `maxLength` characters. */
export function preview(value: unknown, maxLength = 80): string {
  const text =
    typeof value === "string" ? JSON.stringify(value) : (safeStringify(value) ?? typeName(value));
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "")}… (${text.length} characters)`;
}

function safeStringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const OWN_FIELD = { writable: true, enumerable: true, configurable: true } as const;

/**
 * Sets a field of any name. `__proto__` is data like all others, but assigning it would change the object's prototype.
 */
export function setField(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === "__proto__") Object.defineProperty(object, key, { ...OWN_FIELD, value });
  else object[key] = value;
}

/** Returns a value as JSON with fields sorted by name: equal values give equal texts. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

/** Returns the fields without nulls, which files and providers use for missing values. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Formats a value for a text: strings unchanged, null and undefined as an empty text, anything else as JSON. */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
