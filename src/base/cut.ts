import type { JsonObject, JsonValue } from "./json.ts";

/** Maximum length of a text in an event, in UTF-16 units; the journal stores longer ones whole. */
export const MAX_EVENT_TEXT = 16_384;

/**
 * Returns fields for an event, at most `MAX_EVENT_TEXT` characters of them: short fields stay, and of longer ones the
 * beginning of their text. The run has them whole.
 */
export function cutFields(fields: JsonObject): JsonObject {
  if (JSON.stringify(fields).length <= MAX_EVENT_TEXT) return fields;
  const sized = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return { name, value, text, length: name.length + text.length };
  });
  const shown = new Map<string, JsonValue>();
  let left = MAX_EVENT_TEXT;
  for (const { name, value, text, length } of sized.toSorted((a, b) => a.length - b.length)) {
    if (left <= name.length) break;
    shown.set(name, length <= left ? value : cut(text, left - name.length));
    left -= length;
  }
  return Object.fromEntries(
    sized.flatMap(({ name }) => {
      const value = shown.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Cuts a text to a maximum length, and appends the number of characters left out. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()}\n[cut: ${text.length - maxLength} of ${text.length} characters left out]`;
}
