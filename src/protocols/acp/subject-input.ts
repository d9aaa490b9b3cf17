// Conversion of messages to the start of a run.
//
//   AI1. An agent gets the texts as its conversation. JSON with its inputs as fields, including the question, is
//        spread.
//   AI2. Any other subject takes JSON with its inputs as fields. With one required input, any other text is this input;
//        without required inputs, it is the input `message`. With several, it is refused, and the error names them.
//   AI3. Context is put before the text, or becomes the input `context` of a subject that needs one. Without a place
//        for it, it is not used.
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Subject } from "../../parts/part.ts";
import type { ContextPiece } from "./store.ts";

/** A message of an earlier conversation. */
export type PastMessage = { readonly role: "user" | "assistant"; readonly content: string };

/** Sources of a start. */
export type InputSources = {
  /** Texts of the user in this task, oldest first. */
  readonly texts: readonly string[];
  readonly contexts: readonly ContextPiece[];
  readonly past: readonly PastMessage[];
};

/**
 * Returns the start of a run; `usesContext` is true if it contains the context. Fails with `invalid_input` for
 * unsuitable texts.
 */
export function startOf(
  subject: Subject,
  sources: InputSources,
): { readonly start: ReturnType<Subject["start"]>; readonly usesContext: boolean } {
  const made =
    subject.messagesInput === undefined
      ? inputsOf(subject, sources)
      : conversationOf(subject, subject.messagesInput, sources);
  return { start: subject.start(made.inputs), usesContext: made.usesContext };
}

type Made = { readonly inputs: JsonObject; readonly usesContext: boolean };

function conversationOf(
  { requiredInputs }: Subject,
  messagesInput: string,
  { texts, contexts, past }: InputSources,
): Made {
  const fields = asFields(texts, [...requiredInputs, messagesInput]);
  const asked = fields?.[messagesInput] ?? texts.join("\n\n");
  if (typeof asked !== "string")
    return { inputs: { ...fields, [messagesInput]: asked }, usesContext: false };
  const content = preface(contexts) + asked;
  const messages: JsonValue =
    past.length === 0 ? content : [...past.map((each) => ({ ...each })), { role: "user", content }];
  return { inputs: { ...fields, [messagesInput]: messages }, usesContext: true };
}

function inputsOf({ requiredInputs }: Subject, { texts, contexts, past }: InputSources): Made {
  const before = preface(contexts) + transcript(past);
  const takesContext = requiredInputs.includes("context");
  const needed = requiredInputs.filter((name) => name !== "context");
  const fields = asFields(texts, needed);
  if (fields !== undefined)
    return takesContext && !Object.hasOwn(fields, "context")
      ? { inputs: { ...fields, context: before }, usesContext: true }
      : { inputs: fields, usesContext: false };
  const [only = "message", ...others] = takesContext && needed.length === 0 ? ["context"] : needed;
  if (others.length > 0)
    throw new EngineError(
      "invalid_input",
      `the message must be JSON with the inputs ${requiredInputs.join(", ")}, got another text`,
    );
  const text = texts.join("\n\n");
  if (takesContext && only !== "context")
    return { inputs: { [only]: text, context: before }, usesContext: true };
  return { inputs: { [only]: before + text }, usesContext: true };
}

/** Merges the fields of all texts, if each is a JSON object and together they have the needed fields. */
function asFields(texts: readonly string[], needed: readonly string[]): JsonObject | undefined {
  const objects = texts.map((text): JsonValue => {
    if (!text.trimStart().startsWith("{")) return null;
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      return null;
    }
  });
  if (!objects.every(isJsonObject)) return undefined;
  const fields: JsonObject = Object.assign({}, ...objects) as JsonObject;
  const missing = needed.filter((name) => !Object.hasOwn(fields, name));
  // A single text input may have JSON as its value; several inputs need their names.
  return missing.length > 0 && needed.length === 1 ? undefined : fields;
}

function preface(contexts: readonly ContextPiece[]): string {
  if (contexts.length === 0) return "";
  const pieces = contexts.map(
    ({ type, content, priority }) => `[${type}, ${priority} priority]\n${content}`,
  );
  return `Context for this task:\n\n${pieces.join("\n\n")}\n\nThe task:\n\n`;
}

function transcript(past: readonly PastMessage[]): string {
  if (past.length === 0) return "";
  const lines = past.map(({ role, content }) => `${role}: ${content}`);
  return `What was said before:\n\n${lines.join("\n\n")}\n\nNow:\n\n`;
}
