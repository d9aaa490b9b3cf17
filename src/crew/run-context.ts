// Two inputs with a special meaning: the event behind the run, and the conversation the run answers.
import { EngineError } from "../base/error.ts";
import {
  isJsonObject,
  preview,
  type JsonObject,
  type JsonValue,
  parsedJson,
} from "../base/json.ts";

const TRIGGER = "crewai_trigger_payload";
/** Name of the input with the conversation before the request to the crew. */
export const CONVERSATION = "crew_chat_messages";
/** Inputs a schema does not have to name. */
export const SPECIAL_INPUTS: ReadonlySet<string> = new Set([TRIGGER, CONVERSATION]);

/**
 * Returns the payload of the event behind the run, as text for a task's prompt. If a task sets no preference, only the
 * first task of a sequential crew gets it.
 */
export function triggerFor(
  inputs: JsonObject,
  options: { readonly wanted: boolean | undefined; readonly firstOfSequential: boolean },
): string | undefined {
  const payload = inputs[TRIGGER] ?? null;
  if (payload === null) return undefined;
  const wanted = options.wanted ?? (options.firstOfSequential && isTruthy(payload));
  return wanted ? asText(payload) : undefined;
}

/**
 * The messages of `crew_chat_messages`, one `Role: content` line each. They are JSON (`[{ role, content }, …]`), as text or as
 * the list itself; throws `invalid_input` for anything else.
 */
export function conversationIn(inputs: JsonObject): string | undefined {
  const conversation = inputs[CONVERSATION] ?? null;
  if (conversation === null) return undefined;
  const messages = typeof conversation === "string" ? parsedJson(conversation) : conversation;
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    throw new EngineError(
      "invalid_input",
      `the input "${CONVERSATION}" must be JSON of a list of { role, content } messages, got ${preview(conversation)}`,
    );
  }
  return messages.length === 0
    ? undefined
    : messages.map(({ role, content }) => `${capitalized(role)}: ${content}`).join("\n");
}

function isMessage(value: unknown): value is { role: string; content: string } {
  return (
    isJsonObject(value) && typeof value["role"] === "string" && typeof value["content"] === "string"
  );
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** False for empty texts, lists and objects, zero and false. */
function isTruthy(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
