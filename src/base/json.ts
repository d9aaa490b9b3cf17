/** What JSON can hold: the only kind of value that crosses a journal, a queue, an RPC or HTTP. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

/** The fields that are not null: null is how files and providers say that there is nothing. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
