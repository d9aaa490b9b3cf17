// Reading of provider data. The SDKs' types promise more than providers keep, so every field is checked.
import type { JsonValue } from "../base/json.ts";

export type Fields = { readonly [key: string]: unknown };

const NOTHING: Fields = {};

/** Returns the fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NOTHING;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text itself; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Text of a message's content: a text, or a list of parts, of which only those of text count. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return content
    .map((part) => {
      if (typeof part === "string") return part;
      const { type = "text", text } = fieldsOf(part);
      return type === "text" || type === "output_text" ? textOf(text) : "";
    })
    .join("");
}

/** Thoughts among the parts of a message's content, as Mistral's models send them. */
export function contentThoughts(content: unknown): string {
  return listOf(content)
    .map((part) => contentText(fieldsOf(part)["thinking"]))
    .join("");
}

/** Returns a count of tokens; 0 for a value other than a positive safe integer, such as 1e300. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Returns text unchanged, any other value as JSON; empty for undefined and null. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** True for a value `JSON.parse` can return: used on parts of a provider's answer. */
export function isJson(value: unknown): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return (
        value === null ||
        (Array.isArray(value) ? value.every(isJson) : Object.values(value).every(isJson))
      );
    default:
      return false;
  }
}
