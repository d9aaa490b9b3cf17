// The result of a step as a person edits it, in the form that a fork takes: see `src/runtime/edited-value.ts`.
import type { Json, StepRow } from "../../api-types.ts";
import { formattedJson } from "../../parts/inner-text.ts";

export type EditableResult = {
  /** Formatted if it is JSON. */
  readonly text: string;
  /** Returns the result for the fork. Throws a `SyntaxError` for a text that is no JSON but must be. */
  readonly read: (text: string) => Json;
};

type Fields = Readonly<Record<string, Json>>;

/** Returns the answer of a tool or a model without the record around it, or else the whole result. */
export function editableResult({
  kind,
  value = null,
}: Pick<StepRow, "kind" | "value">): EditableResult {
  if (typeof value === "string") return { text: value, read: (text) => text };
  if (isFields(value) && kind === "tool" && typeof value["text"] === "string")
    return toolText(value["text"], value["isJson"] === true);
  if (isFields(value) && kind === "model" && Array.isArray(value["toolCalls"]))
    return modelAnswer(value);
  return asJson(value);
}

/** A tool that answered with a text keeps a text, also if the text has JSON in it. */
function toolText(text: string, isJson: boolean): EditableResult {
  const formatted = formattedJson(text);
  if (isJson) return { text: formatted, read: (edited) => JSON.parse(edited) as Json };
  if (formatted === text) return { text, read: (edited) => edited };
  return { text: formatted, read: (edited) => JSON.stringify(JSON.parse(edited)) };
}

function modelAnswer({ text = "", toolCalls }: Fields): EditableResult {
  const calls = toolCalls as readonly Fields[];
  if (calls.length === 0)
    return { text: typeof text === "string" ? text : "", read: (edited) => ({ text: edited }) };
  return asJson({
    text,
    toolCalls: calls.map(({ id = "", name = "", arguments: input = {} }) => ({
      id,
      name,
      arguments: typeof input === "string" ? parsed(input) : input,
    })),
  });
}

function asJson(value: Json): EditableResult {
  return {
    text: JSON.stringify(value, undefined, 2),
    read: (text) => JSON.parse(text) as Json,
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
