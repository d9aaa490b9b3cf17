// Content of a user's message beside text.
import { EngineError } from "../base/error.ts";
import { isJsonObject } from "../base/json.ts";
import type { ContentPart, MediaSource, Message, ModelCapabilities } from "./language-model.ts";

/** Marker for content without any text, for places that accept only text. */
const NO_TEXT = "[multimodal content]";

const MEDIA: readonly unknown[] = ["image", "file", "audio", "video"];

/** Returns the fault of a message part from outside; undefined for a valid one. */
export function partFault(part: unknown): string | undefined {
  if (!isJsonObject(part)) return "must be an object with a type";
  const { type, text, url, data, mediaType } = part;
  if (type === "text") return typeof text === "string" ? undefined : "must have a text";
  if (!MEDIA.includes(type))
    return 'must have the type "text", "image", "file", "audio" or "video"';
  const isHere = typeof data === "string" && typeof mediaType === "string";
  return isHere || (data === undefined && typeof url === "string")
    ? undefined
    : "must have a url, or data in base64 and its mediaType";
}

/** Returns the text of a message: only its text parts, or a marker without any. */
export function textOfContent(content: Message["content"]): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length > 0 ? texts.join("\n") : NO_TEXT;
}

/** An image or file as it can be sent; text files have become text. */
export type SendablePart = { readonly type: "text"; readonly text: string } | SendableMedia;

/** A part other than text, with a source providers support. */
export type SendableMedia =
  | ({ readonly type: "image"; readonly detail?: "auto" | "low" | "high" } & MediaSource)
  | ({ readonly type: "file" | "audio" | "video"; readonly name?: string } & MediaSource);

type Reader = { readonly id: string; readonly capabilities: MediaCapabilities };
type MediaCapabilities = Pick<ModelCapabilities, "vision" | "pdf" | "audio" | "video">;

/** Names of parts in messages. */
const CALLED = { image: "an image", file: "a file", audio: "sound", video: "a video" } as const;

/** True if a model accepts parts of this type. */
function takes(
  { vision, pdf = vision, audio, video }: MediaCapabilities,
  type: keyof typeof CALLED,
) {
  return { image: vision, file: pdf, audio, video }[type] === true;
}

/**
 * Returns the parts for a model: text files become text, which every model can read. Throws `model_rejected` for any
 * other part the model does not accept, so a fallback chain continues with another model.
 */
export function sendableParts(
  parts: readonly ContentPart[],
  { id, capabilities }: Reader,
): SendablePart[] {
  return parts.map((part): SendablePart => {
    if (part.type === "text") return part;
    if ("runFile" in part)
      throw new EngineError(
        "model_rejected",
        `${part.runFile.name} is a file of a run: only its text can be sent to ${id}`,
      );
    if (isTextFile(part)) return { type: "text", text: fileText(part.name, decode(part.data)) };
    if (takes(capabilities, part.type)) return part;
    const remedy = part.type === "image" || part.type === "file" ? "vision" : part.type;
    throw new EngineError(
      "model_rejected",
      `${id} accepts text only, but the conversation contains ${CALLED[part.type]}: ` +
        `use a model with ${remedy}, or set ${remedy}: true in its settings if it has it`,
    );
  });
}

/** A file's text, as models are shown it. */
export function fileText(name: string | undefined, text: string): string {
  const named = name === undefined ? "" : ` name="${name}"`;
  return `<file${named}>\n${text}\n</file>`;
}

/** True if the messages contain a part not every model accepts. */
export function needsMedia(messages: readonly Message[], { capabilities }: Reader): boolean {
  return messages.some(
    ({ content }) =>
      typeof content !== "string" &&
      content.some(
        (part) => part.type !== "text" && !isTextFile(part) && !takes(capabilities, part.type),
      ),
  );
}

/**
 * Returns the messages as text alone, for a model that reads only text; the same list if they are text already. Throws
 * like `sendableParts`.
 */
export function plainMessages(messages: readonly Message[], reader: Reader): readonly Message[] {
  if (messages.every(({ content }) => typeof content === "string")) return messages;
  return messages.map((message) =>
    message.role === "user" && typeof message.content !== "string"
      ? { ...message, content: textOfContent(sendableParts(message.content, reader)) }
      : message,
  );
}

/** `data:image/png;base64,…`, or the URL itself. */
export function toUrl(source: Exclude<MediaSource, { readonly fileId: string }>): string {
  return "url" in source ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** A name as it may leave the run: letters, digits, `_`, `.`, `-` and blanks, at most 120. */
export function sentName(name: string): string {
  return name.replaceAll(/[^\w.\- ]/g, "_").slice(0, 120) || "file";
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
