import type { Json } from "../api-types.ts";

/**
 * Returns the part of a recorded result that people read: the text of a tool's or a model's answer, the object or the
 * text of a task, or else the whole record. JSON is formatted.
 */
export function innerText(record: Json): string {
  if (typeof record === "string") return formattedJson(record);
  if (typeof record !== "object" || record === null || Array.isArray(record))
    return JSON.stringify(record, undefined, 2);
  const { text, raw, object, toolCalls } = record as Readonly<Record<string, Json>>;
  if (object !== undefined && object !== null && typeof raw === "string")
    return JSON.stringify(object, undefined, 2);
  if (typeof raw === "string") return raw;
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0;
  if (typeof text === "string" && !calls) return formattedJson(text);
  return JSON.stringify(record, undefined, 2);
}

/** Formats a text with an object or a list in JSON; every other text stays as it is. */
export function formattedJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
