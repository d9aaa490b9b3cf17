// Messages of a front end as the input of a run.
//
//   UY1. A run gets the user's last message and the conversation before it: all instructions of the application, and
//        the newest 200 of the other messages.
//   UY2. Images and documents come as data or URL. Content unsupported by all models is refused, with its place in the
//        request.
//   UY3. A tool's result is a text of the conversation, if the run of its call no longer waits.
import type { AgentMessage } from "../../agent/agent-messages.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ContentPart } from "../../llm/language-model.ts";
import { textOfContent } from "../../llm/content.ts";
import type { ThreadMessage } from "../thread-store.ts";
import type { InputMessage, InputPart, RunInput } from "./schema.ts";
import type { AgUiMessage } from "./wire.ts";

/** Maximum number of earlier messages. */
const MAX_HISTORY = 200;

/** A conversation in the form for agents. */
export type Said = {
  /** Instructions of the application: system and developer messages, and the context. */
  readonly instructions: readonly string[];
  /** Messages without the instructions. */
  readonly history: readonly AgentMessage[];
  /** New messages: the user's message, or none. */
  readonly messages: ReadonlyArray<Omit<ThreadMessage, "runId" | "createdAtMs">>;
};

/** Fails with `invalid_input` for content unsupported by models. */
export function saidIn({ messages, context }: RunInput): Said {
  const last = messages.at(-1);
  const asked = last === undefined ? undefined : askedBy(last, messages);
  const before = asked === undefined ? messages : messages.slice(0, -1);
  const instructions = [
    ...before.flatMap((message) =>
      message.role === "system" || message.role === "developer" ? [message.content] : [],
    ),
    ...contextText(context),
  ];
  return {
    instructions: instructions.filter((text) => text.trim() !== ""),
    history: before
      .flatMap((message, index) => historyOf(message, { index, messages }))
      .slice(-MAX_HISTORY),
    messages: asked === undefined ? [] : [asked],
  };
}

function askedBy(
  message: InputMessage,
  messages: readonly InputMessage[],
): Said["messages"][number] | undefined {
  const { id } = message;
  const place = `messages/${messages.length - 1}/content`;
  if (message.role === "user")
    return { id, role: "user", content: contentOf(message.content, place) };
  if (message.role !== "tool") return undefined;
  const { toolCallId } = message;
  return { id, role: "user", content: resultText(message, messages), data: { toolCallId } };
}

function historyOf(
  message: InputMessage,
  { index, messages }: { readonly index: number; readonly messages: readonly InputMessage[] },
): readonly AgentMessage[] {
  switch (message.role) {
    case "user": {
      const content = contentOf(message.content, `messages/${index}/content`);
      return content.length === 0 ? [] : [{ role: "user", content }];
    }
    case "assistant": {
      const { content = "" } = message;
      return content.trim() === "" ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return [{ role: "system", content: resultText(message, messages) }];
    default:
      return []; // instructions come first, and other roles are for people
  }
}

/** Returns a tool's result as text. */
function resultText(
  { toolCallId, content, error }: Extract<InputMessage, { role: "tool" }>,
  messages: readonly InputMessage[],
): string {
  const calls = messages.flatMap((each) =>
    each.role === "assistant" ? (each.toolCalls ?? []) : [],
  );
  const call = calls.find(({ id }) => id === toolCallId);
  const name = call === undefined ? "A tool" : `The tool ${call.function.name}`;
  const input = call === undefined ? "" : `, called with ${call.function.arguments},`;
  return error === undefined
    ? `${name}${input} returned: ${toolText(content)}`
    : `${name}${input} failed: ${error}`;
}

/** Returns the result of a front-end tool as text. Fails with `invalid_input` for other content, such as pictures. */
export function toolText(content: string | readonly InputPart[]): string {
  if (typeof content === "string") return content;
  const texts = content.map((part) => {
    if (part.type === "text") return part.text;
    throw new EngineError(
      "invalid_input",
      `a tool's result must be text, got a part of type ${part.type}: send its URL, or a description, as text`,
    );
  });
  return texts.join("\n");
}

function contentOf(
  content: string | readonly InputPart[],
  place: string,
): string | readonly ContentPart[] {
  if (typeof content === "string") return content;
  const parts = content.map((part, index) => partOf(part, `${place}/${index}`));
  return parts.every(({ type }) => type === "text") ? textOfContent(parts) : parts;
}

function partOf(part: InputPart, place: string): ContentPart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { type, source } = part;
  if (type === "audio" || type === "video")
    throw refused(
      place,
      `${type} cannot be sent to a model here: send an image, a document, or a text of it`,
    );
  if (source.type === "file")
    throw refused(
      place,
      "a provider's file handle cannot be read here: send the file as data or as a URL",
    );
  const { value, mimeType } = source;
  if (source.type === "data") {
    const here = { data: value, mediaType: source.mimeType };
    return type === "image" ? { type, ...here } : { type: "file", ...here };
  }
  if (!/^(?:https?:|data:)/i.test(value))
    throw refused(place, "a URL must begin with https:, http: or data:");
  const there = { url: value, ...(mimeType === undefined ? undefined : { mediaType: mimeType }) };
  return type === "image" ? { type, ...there } : { type: "file", ...there };
}

function refused(place: string, message: string): EngineError {
  return new EngineError("invalid_input", `${place.replaceAll("/", ".")}: ${message}`, {
    issues: [{ path: `/${place}`, message }],
  });
}

function contextText(context: RunInput["context"]): readonly string[] {
  if (context.length === 0) return [];
  const lines = context.map(({ description, value }) => `- ${description}: ${value}`);
  return [`What the application tells you about the situation:\n${lines.join("\n")}`];
}

/**
 * Returns the inputs of a front end in addition to its messages: fields of its state accepted by the subject, and
 * `forwardedProps.inputs`.
 */
export function inputsIn(
  { state, forwardedProps }: RunInput,
  takes: (name: string) => boolean,
): JsonObject {
  const { inputs } = fieldsOf(forwardedProps);
  const shared = Object.entries(fieldsOf(state)).filter(([name]) => takes(name));
  return { ...Object.fromEntries(shared), ...fieldsOf(inputs) };
}

function fieldsOf(value: unknown): JsonObject {
  const json = (value ?? null) as JsonValue;
  return isJsonObject(json) ? json : {};
}

/** Returns a message of the user in the form for front ends. */
export function userMessage({ id, content }: Pick<ThreadMessage, "id" | "content">): AgUiMessage {
  if (typeof content === "string") return { id, role: "user", content };
  return { id, role: "user", content: content.map(inputPart) };
}

function inputPart(
  part: ContentPart,
): Exclude<Extract<AgUiMessage, { role: "user" }>["content"], string>[number] {
  if (part.type === "text") return { type: "text", text: part.text };
  if ("runFile" in part) return { type: "text", text: part.runFile.name };
  if ("fileId" in part) return { type: "text", text: part.fileId };
  const type = part.type === "file" ? "document" : part.type;
  if ("data" in part) {
    const { data: value, mediaType: mimeType } = part;
    return { type, source: { type: "data", value, mimeType } };
  }
  const { url: value, mediaType } = part;
  const mimeType = mediaType === undefined ? {} : { mimeType: mediaType };
  return { type, source: { type: "url", value, ...mimeType } };
}
