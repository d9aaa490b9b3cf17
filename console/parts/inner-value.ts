import type { Json } from "../api-types.ts";

type Fields = Readonly<Record<string, Json>>;

/** The part of a recorded result that people read and edit. The rest of the record stays around it. */
export type InnerValue = {
  /** Formatted if it is JSON. */
  readonly text: string;
  readonly isJson: boolean;
  /** Writes an edited text back into the record. Throws a `SyntaxError` for a text that is no JSON but must be. */
  readonly wrapped: (text: string) => Json;
};

/**
 * Returns the text of a tool's or a model's answer, the object or the text of a task, or else the whole record. A text
 * with an object or a list in JSON is formatted, and written back as compact JSON.
 */
export function innerValue(record: Json): InnerValue {
  if (typeof record === "string") return textValue(record, (text) => text);
  if (!isFields(record)) return wholeRecord(record);
  const { text, raw, object, toolCalls } = record;
  if (typeof raw === "string" && object !== undefined && object !== null)
    return jsonValue(object, (edited) => ({
      ...record,
      raw: JSON.stringify(edited),
      object: edited,
    }));
  if (typeof raw === "string") return plainText(raw, (edited) => ({ ...record, raw: edited }));
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0;
  if (typeof text === "string" && !calls)
    return textValue(text, (edited) => ({ ...record, text: edited }));
  return wholeRecord(record);
}

function wholeRecord(record: Json): InnerValue {
  return jsonValue(record, (edited) => edited);
}

function jsonValue(value: Json, wrap: (edited: Json) => Json): InnerValue {
  return {
    text: JSON.stringify(value, undefined, 2),
    isJson: true,
    wrapped: (text) => wrap(JSON.parse(text) as Json),
  };
}

function plainText(text: string, wrap: (edited: string) => Json): InnerValue {
  return { text, isJson: false, wrapped: wrap };
}

function textValue(text: string, wrap: (edited: string) => Json): InnerValue {
  const parsed = parsedJson(text);
  return parsed === undefined
    ? plainText(text, wrap)
    : jsonValue(parsed, (edited) => wrap(JSON.stringify(edited)));
}

/** Returns the object or the list in a text; undefined for every other text. */
function parsedJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
