// Messages of a conversation: their stored form and names.
//
//   MSG1. A message has content, or calls. Without both it is refused.
//   MSG2. A message with calls is the assistant's and gets no name. Every other message has a name; its author's name
//         is the default.
//   MSG3. Null fields, empty lists of calls, and unknown fields are left out.
import { EngineError, errorMessage } from "../base/error.ts";
import { isTooDeep } from "../base/json-faults.ts";
import { isJsonObject, typeName, type JsonObject, type JsonValue } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import type { ToolCall } from "../llm/language-model.ts";

/** Role of a message's author, as models see it. */
export type MessageRole = "system" | "user" | "assistant" | "tool" | "function";

/** A message part beyond text, in OpenAI's form or this library's; `type` names its kind. */
export type MessagePart = JsonObject & { readonly type: string };

/** The result of one tool call. */
export type ToolResponse = { readonly toolCallId: string; readonly content: string };

/** One message of a conversation, as stored. */
export type ConversationMessage = {
  readonly role: MessageRole;
  /** Null only in messages with calls. */
  readonly content: string | readonly MessagePart[] | null;
  /** The author. Absent in messages with calls, and in foreign transcripts without names. */
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** The single call of a message in the old format; it has no id. */
  readonly functionCall?: Omit<ToolCall, "id">;
  readonly toolResponses?: readonly ToolResponse[];
  readonly toolCallId?: string;
  /** Values for a template in `content`. */
  readonly context?: JsonObject;
};

/** Author of a message, and its default role. */
export type MessageAuthor = { readonly name: string; readonly role: MessageRole };

const ROLES: readonly string[] = ["system", "user", "assistant", "tool", "function"];

/**
 * Reads a message in any spelling (a text, camelCase, or OpenAI's snake_case) for appending to a conversation. Throws
 * `invalid_input` for an invalid message.
 */
export function readMessage(input: unknown, author: MessageAuthor): ConversationMessage {
  const message = typeof input === "string" ? { content: input } : input;
  if (!isJsonObject(message))
    throw invalidMessage(`expected a text or an object, got ${typeName(message)}`);
  const field = (camel: string, snake: string): JsonValue | undefined =>
    message[camel] ?? message[snake] ?? undefined;
  const toolCalls = callsOf(field("toolCalls", "tool_calls"));
  const functionCall = functionCallOf(field("functionCall", "function_call"));
  const isCalling = toolCalls.length > 0 || functionCall !== undefined;
  const role = roleOf(message, isCalling ? "assistant" : author.role);
  const responses = responsesOf(field("toolResponses", "tool_responses"));
  const name = message["name"] ?? (isCalling ? undefined : author.name);
  const toolCallId = field("toolCallId", "tool_call_id");
  const { context } = message;
  return {
    role: isCalling ? "assistant" : role,
    content: contentOf(message["content"] ?? joined(responses), isCalling),
    ...(name === undefined ? {} : { name: textField(name, "name") }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(functionCall === undefined ? {} : { functionCall }),
    ...(responses.length === 0 ? {} : { toolResponses: responses }),
    ...(toolCallId === undefined ? {} : { toolCallId: textField(toolCallId, "toolCallId") }),
    ...(isJsonObject(context) ? { context: jsonOf(context, "context") as JsonObject } : {}),
  };
}

/**
 * Returns the text of a message's content. Images and files become `<image>` and `<file>`, calls become `<function:
 * name>`. Throws `invalid_input` for a part of an unknown type.
 */
export function contentText(content: unknown): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (typeof content === "function")
    throw invalidMessage(
      "content must be data, got a function: write a template and its values as context, or have a function make the whole message",
    );
  if (!Array.isArray(content))
    throw invalidMessage(`content must be a text or a list of parts, got ${typeName(content)}`);
  return content.map(partText).join("\n");
}

/** True if a message has the results of calls. */
export function isToolResult({ role, toolResponses }: ConversationMessage): boolean {
  return role === "tool" || role === "function" || toolResponses !== undefined;
}

function partText(part: unknown): string {
  if (!isJsonObject(part) || typeof part["type"] !== "string")
    throw invalidMessage("each part of a content must have a type");
  const { type } = part;
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return typeof part["text"] === "string" ? part["text"] : "";
    case "image":
    case "image_url":
    case "input_image":
      return "<image>";
    case "file":
    case "input_file":
    case "document":
      return "<file>";
    case "audio":
    case "audio_url":
    case "input_audio":
      return "<audio>";
    case "video":
    case "video_url":
      return "<video>";
    case "function":
    case "tool_call":
    case "tool_calls": {
      const { name, function: called } = part;
      const calledName = isJsonObject(called) ? called["name"] : name;
      return typeof calledName === "string" ? `<function: ${calledName}>` : "<function>";
    }
    case "apply_patch_call":
    case "shell_call":
      return `[${type.replace("_call", "").replace("_", " ")} call]`;
    default:
      throw invalidMessage(`a part of a content has the unknown type "${type}"`);
  }
}

/** Returns the text of a result from its responses alone. */
function joined(responses: readonly ToolResponse[]): string | null {
  return responses.length === 0 ? null : responses.map(({ content }) => content).join("\n");
}

function contentOf(content: unknown, hasCallsToo: boolean): ConversationMessage["content"] {
  if (content === null || content === undefined) {
    if (hasCallsToo) return null;
    throw invalidMessage("a message needs content or tool calls, got neither");
  }
  contentText(content);
  return typeof content === "string"
    ? content
    : (jsonOf(content, "content") as readonly MessagePart[]);
}

function roleOf(message: JsonObject, role: MessageRole): MessageRole {
  const own = message["overrideRole"] ?? message["override_role"];
  if (own === undefined || own === null)
    return message["role"] === "tool" || message["role"] === "function" ? message["role"] : role;
  if (typeof own !== "string" || !ROLES.includes(own))
    throw invalidMessage(
      `overrideRole must be one of ${ROLES.join(", ")}, got ${JSON.stringify(own)}`,
    );
  return own as MessageRole;
}

function callsOf(calls: JsonValue | undefined): readonly ToolCall[] {
  if (calls === undefined) return [];
  if (!Array.isArray(calls))
    throw invalidMessage(`toolCalls must be a list, got ${typeName(calls)}`);
  return (calls as readonly JsonValue[]).map((call) => {
    const id = isJsonObject(call) ? (call["id"] ?? "") : "";
    return { id: textField(id, "the id of a tool call"), ...calledBy(call) };
  });
}

function functionCallOf(call: JsonValue | undefined): Omit<ToolCall, "id"> | undefined {
  return call === undefined ? undefined : calledBy(call);
}

function calledBy(call: JsonValue): Omit<ToolCall, "id"> {
  const called = isJsonObject(call) && isJsonObject(call["function"]) ? call["function"] : call;
  if (!isJsonObject(called) || typeof called["name"] !== "string")
    throw invalidMessage("a tool call must name its function");
  const { name } = called;
  const input = called["arguments"] ?? "";
  if (typeof input === "string") return { name, arguments: input };
  return { name, arguments: JSON.stringify(jsonOf(input, `the arguments of ${name}`)) };
}

function responsesOf(responses: JsonValue | undefined): readonly ToolResponse[] {
  if (responses === undefined) return [];
  if (!Array.isArray(responses))
    throw invalidMessage(`toolResponses must be a list, got ${typeName(responses)}`);
  return (responses as readonly JsonValue[]).map((response) => {
    if (!isJsonObject(response))
      throw invalidMessage(`a tool response must be an object, got ${typeName(response)}`);
    const id = response["toolCallId"] ?? response["tool_call_id"] ?? "";
    return {
      toolCallId: textField(id, "the id of a tool response"),
      content: resultText(jsonOf(response["content"], "the content of a tool response")),
    };
  });
}

/**
 * Returns the result of a tool as text: texts unchanged, null as an empty text, parts by their texts, other values as
 * JSON.
 */
export function resultText(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  const isParts =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => isJsonObject(part) && part["type"] === "text");
  return isParts ? contentText(value) : JSON.stringify(value);
}

/** Returns a JSON copy; missing values become null. */
function jsonOf(value: unknown, what: string): JsonValue {
  if (isTooDeep(value)) throw invalidMessage(`${what} must be nested at most 64 deep, got more`);
  try {
    return toJson(value);
  } catch (error) {
    throw invalidMessage(`${what} must be JSON: ${errorMessage(error)}`);
  }
}

function textField(value: JsonValue, name: string): string {
  if (typeof value !== "string")
    throw invalidMessage(`${name} must be a text, got ${typeName(value)}`);
  return value;
}

function invalidMessage(what: string): EngineError {
  return new EngineError("invalid_input", `not a message: ${what}`);
}
