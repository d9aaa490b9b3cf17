// Messages to an agent outside a crew.
import { EngineError } from "../base/error.ts";
import { checkInputs, interpolate } from "../base/interpolate.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { replacePlaceholders } from "../base/template.ts";
import { partFault } from "../llm/content.ts";
import type { ContentPart } from "../llm/language-model.ts";

/** Message to an agent. */
export type AgentMessage =
  | { readonly role: "system" | "assistant"; readonly content: string }
  /** Text, or parts with images and files among them. */
  | { readonly role: "user"; readonly content: string | readonly ContentPart[] };

/** A text is one message of the user's. Of a list the last message must be the user's. */
export type AgentMessages = string | readonly AgentMessage[];

/** Inputs of an agent run. */
export type AgentRequest = {
  readonly messages: AgentMessages;
  /** Values for placeholders, and files: `{ "$file": id | path | URL }`. */
  readonly inputs?: JsonObject;
};

const ROLES: readonly unknown[] = ["system", "user", "assistant"];

/** Throws `invalid_input` and names the faulty message. */
export function checkMessages(messages: unknown): asserts messages is AgentMessages {
  if (typeof messages === "string") {
    if (messages.trim() === "") throw invalid("messages", "a text that is not empty", messages);
    return;
  }
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid("messages", "a text, or a list of at least one message", messages);
  for (const [index, message] of messages.entries()) {
    const where = `messages/${index}`;
    if (!isJsonObject(message)) throw invalid(where, "an object with role and content", message);
    if (!ROLES.includes(message["role"]))
      throw invalid(`${where}/role`, '"system", "user" or "assistant"', message["role"]);
    checkContent(message, where);
  }
  const last: unknown = messages.at(-1);
  if (isJsonObject(last) && last["role"] !== "user") {
    const where = `messages/${messages.length - 1}/role`;
    throw invalid(where, '"user", because the last message is the task', last["role"]);
  }
}

function checkContent({ role, content }: JsonObject, where: string): void {
  if (typeof content === "string") return;
  if (role !== "user") throw invalid(`${where}/content`, "a text", content);
  if (!Array.isArray(content) || content.length === 0)
    throw invalid(`${where}/content`, "a text, or a list of at least one part", content);
  for (const [index, part] of content.entries()) {
    const fault = partFault(part);
    if (fault !== undefined)
      throw refused(`${where}/content/${index}`, `${fault}, got ${preview(part)}`);
  }
}

/** The inputs of an agent's run, as they were stored. Throws `invalid_input`. */
export function readRequest(input: JsonObject): AgentRequest {
  const { messages, inputs = {} } = input;
  checkMessages(messages);
  checkInputs(inputs);
  return { messages, inputs };
}

/** Messages with the inputs in their placeholders. */
export function filled(messages: AgentMessages, inputs: JsonObject): readonly AgentMessage[] {
  if (typeof messages === "string") return [{ role: "user", content: put(messages, inputs) }];
  return messages.map((message): AgentMessage => {
    const { role, content } = message;
    if (role !== "user") return { role, content: put(content, inputs) };
    if (typeof content === "string") return { role, content: put(content, inputs) };
    const parts = content.map((part) =>
      part.type === "text" ? { ...part, text: put(part.text, inputs) } : part,
    );
    return { role, content: parts };
  });
}

function put(text: string, inputs: JsonObject): string {
  return replacePlaceholders(text, (name) =>
    Object.hasOwn(inputs, name) ? interpolate(`{${name}}`, inputs, "a message") : undefined,
  );
}

function invalid(where: string, expected: string, came: unknown): EngineError {
  return refused(where, `must be ${expected}, got ${preview(came)}`);
}

function refused(where: string, message: string): EngineError {
  return new EngineError("invalid_input", `${where.replaceAll("/", ".")} ${message}`, {
    issues: [{ path: `/${where}`, message }],
  });
}
