// What a user's message can hold beside text.
import { EngineError } from "../base/error.ts";
import { isJsonObject } from "../base/json.ts";
import type { ContentPart, MediaSource, Message } from "./language-model.ts";

/** Stands for content without any text where only text can go. */
const NO_TEXT = "[multimodal content]";

/** What is wrong with a part of a message that came from outside; undefined for one that can be sent. */
export function partFault(part: unknown): string | undefined {
  if (!isJsonObject(part)) return "must be an object with a type";
  const { type, text, url, data, mediaType } = part;
  if (type === "text") return typeof text === "string" ? undefined : "must have a text";
  if (type !== "image" && type !== "file") return 'must have the type "text", "image" or "file"';
  const isHere = typeof data === "string" && typeof mediaType === "string";
  return isHere || (data === undefined && typeof url === "string")
    ? undefined
    : "must have a url, or data in base64 and its mediaType";
}

/** The text of a message: of its parts only those that are text, or a marker when none is. */
export function textOfContent(content: Message["content"]): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length > 0 ? texts.join("\n") : NO_TEXT;
}

/** An image or file as it can be sent; text files have become text. */
export type SendablePart =
  | { readonly type: "text"; readonly text: string }
  | Exclude<ContentPart, { readonly type: "text" }>;

/**
 * The parts that a model is sent: text files are written out, for every model can read those. Throws `model_rejected`
 * for anything else when the model sees nothing, so that a fallback chain continues with a model that does.
 */
export function sendableParts(
  parts: readonly ContentPart[],
  { id, capabilities }: { id: string; capabilities: { readonly vision?: boolean } },
): SendablePart[] {
  return parts.map((part): SendablePart => {
    if (part.type === "text") return part;
    if (isTextFile(part)) {
      const name = part.name === undefined ? "" : ` name="${part.name}"`;
      return { type: "text", text: `<file${name}>\n${decode(part.data)}\n</file>` };
    }
    if (capabilities.vision === true) return part;
    throw new EngineError(
      "model_rejected",
      `${id} accepts text only, but the conversation contains ${part.type === "image" ? "an image" : "a file"}: ` +
        `use a model with vision, or set vision: true in its settings if it has it`,
    );
  });
}

/** Whether there is anything among the messages that only a model with vision takes. */
export function needsVision(messages: readonly Message[]): boolean {
  return messages.some(
    ({ content }) =>
      typeof content !== "string" &&
      content.some((part) => part.type !== "text" && !isTextFile(part)),
  );
}

/** The messages as text alone, for a model that reads nothing else; the same list when they are. Throws as `sendableParts`. */
export function plainMessages(
  messages: readonly Message[],
  reader: { id: string; capabilities: { readonly vision?: boolean } },
): readonly Message[] {
  if (messages.every(({ content }) => typeof content === "string")) return messages;
  return messages.map((message) =>
    message.role === "user" && typeof message.content !== "string"
      ? { ...message, content: textOfContent(sendableParts(message.content, reader)) }
      : message,
  );
}

/** `data:image/png;base64,…`, or the URL itself. */
export function toUrl(source: MediaSource): string {
  return "url" in source ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function isTextFile(
  part: ContentPart,
): part is ContentPart & { readonly type: "file"; readonly data: string } {
  return part.type === "file" && "data" in part && isTextual(part.mediaType);
}

function isTextual(mediaType: string): boolean {
  return /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript)\b)/i.test(mediaType);
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
}
