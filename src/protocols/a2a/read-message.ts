// A caller's message in the form for a subject.
//
//   AM1. Text parts are the text, data parts the inputs by name; an agent reads the data too.
//   AM2. Files go to subjects of messages, otherwise to the app's input for files; text files are readable for all.
//   AM3. References of a message (results of earlier tasks, a schema for the answer) become text.
import { fromBase64 } from "../../base/bytes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { ContentPart } from "../../llm/language-model.ts";
import { checkOutboundUrl, type OutboundPolicy } from "../../security/outbound.ts";
import { A2AError } from "./errors.ts";
import { accepts, mediaTypeOf } from "./media-types.ts";
import type { Message, Part } from "./schema.ts";

/** A message as content, as text and as data. */
export type ReadMessage = {
  readonly content: string | readonly ContentPart[];
  readonly text: string;
  readonly data: JsonObject;
  /** All data parts, if they are not inputs by name. */
  readonly values: readonly JsonValue[];
};

/** Accepted forms of input. */
export type Taking = {
  /** True for subjects of messages, with files among them. */
  readonly isTalking: boolean;
  /** Input for files. */
  readonly filesInput?: string | undefined;
  /** Accepted media types. */
  readonly inputModes: readonly string[];
  readonly outbound: OutboundPolicy;
};

const TEXTUAL = ["text/*", "application/json", "application/xml", "application/yaml"];

/** Reads a message. Throws an `A2AError` for unsupported parts. */
export function readMessage({ parts }: Pick<Message, "parts">, taking: Taking): ReadMessage {
  const texts: string[] = [];
  const files: ContentPart[] = [];
  const named: JsonObject[] = [];
  const values: JsonValue[] = [];
  const fields: Array<[string, JsonValue]> = [];
  for (const part of parts) {
    const type = mediaTypeOf(part);
    if (!accepts(taking.inputModes, type)) throw unsupported(type, taking.inputModes);
    if (part.text !== undefined) texts.push(part.text);
    else if (part.data !== undefined) {
      values.push(part.data);
      if (isJsonObject(part.data)) fields.push(...Object.entries(part.data));
      else texts.push(JSON.stringify(part.data));
    } else if (taking.isTalking) files.push(contentOf(part, type, taking.outbound));
    else if (taking.filesInput !== undefined) named.push(fileOf(part, type, taking.outbound));
    else if (part.raw !== undefined && accepts(TEXTUAL, type)) texts.push(decoded(part.raw));
    else throw unsupported(type, TEXTUAL.slice(0, 2));
  }
  if (taking.filesInput !== undefined && named.length > 0) fields.push([taking.filesInput, named]);
  const data: JsonObject = Object.fromEntries(fields);
  const objects = values.filter(isJsonObject);
  const text = texts.join("\n");
  if (!taking.isTalking) return { content: text, text, data, values };
  const spoken = [
    text,
    ...objects.map((object) => `Structured data:\n${JSON.stringify(object, null, 2)}`),
  ]
    .filter((each) => each !== "")
    .join("\n\n");
  const content: string | readonly ContentPart[] =
    files.length === 0
      ? spoken
      : [...(spoken === "" ? [] : [{ type: "text" as const, text: spoken }]), ...files];
  return { content, text: spoken, data, values };
}

/** Appends a text to the message. */
export function withAppendix({ content, ...read }: ReadMessage, appendix: string): ReadMessage {
  if (appendix === "") return { content, ...read };
  const text = [read.text, appendix].filter((each) => each !== "").join("\n\n");
  if (typeof content === "string") return { ...read, text, content: text };
  return { ...read, text, content: [...content, { type: "text", text: appendix }] };
}

/**
 * Returns the caller's schema for the result, from the metadata of the message or of its parts. Throws an `A2AError`.
 */
export function responseSchemaOf({ metadata, parts }: Message): JsonObject | undefined {
  for (const about of [metadata, ...parts.map((part) => part.metadata)]) {
    const schema = about?.["responseSchema"] ?? about?.["schema"];
    if (schema === undefined || !isJsonObject(schema)) continue;
    try {
      checkJsonSchema(schema);
    } catch (error) {
      throw new A2AError(
        "InvalidParams",
        `the response schema cannot be used: ${errorMessage(error)}`,
      );
    }
    return schema;
  }
  return undefined;
}

/** Returns the message for storage. File contents are left out, because the content stores them. */
export function keptMessage({ parts, ...message }: Message): JsonObject {
  const kept = parts.map(({ raw, ...part }) => (raw === undefined ? part : { ...part, raw: "" }));
  return { ...message, parts: kept };
}

/** Restores a stored message, with its assigned ids. */
export function messageAgain(kept: JsonObject, content: string | readonly ContentPart[]): Message {
  const { parts, ...message } = kept as unknown as Message;
  const held =
    typeof content === "string"
      ? []
      : content.flatMap((part) => ("data" in part ? [part.data] : []));
  return {
    ...message,
    parts: parts.map((part) => (part.raw === "" ? { ...part, raw: held.shift() ?? "" } : part)),
  };
}

function contentOf(part: Part, type: string, outbound: OutboundPolicy): ContentPart {
  const name = part.filename === undefined ? undefined : { name: part.filename };
  const source =
    part.raw === undefined
      ? { url: checkedUrl(part.url, outbound), mediaType: type }
      : { data: checkedBase64(part.raw), mediaType: type };
  return type.startsWith("image/")
    ? { type: "image", ...source }
    : { type: "file", ...name, ...source };
}

function fileOf(part: Part, mediaType: string, outbound: OutboundPolicy): JsonObject {
  return {
    ...(part.filename === undefined ? undefined : { name: part.filename }),
    mediaType,
    ...(part.raw === undefined
      ? { url: checkedUrl(part.url, outbound) }
      : { data: checkedBase64(part.raw) }),
  };
}

function checkedUrl(url: string | undefined, outbound: OutboundPolicy): string {
  try {
    return checkOutboundUrl(url, "the url of a part", outbound).href;
  } catch (error) {
    if (EngineError.is(error)) throw new A2AError("InvalidParams", error.message);
    throw error;
  }
}

function checkedBase64(text: string): string {
  try {
    fromBase64(text);
    return text;
  } catch {
    throw new A2AError("InvalidParams", "raw must be base64, got a text that is not");
  }
}

function decoded(raw: string): string {
  return new TextDecoder().decode(fromBase64(checkedBase64(raw)));
}

function unsupported(type: string, taken: readonly string[]): A2AError {
  return new A2AError(
    "ContentTypeNotSupported",
    `this agent takes ${taken.join(", ")}, got a part of type ${type.slice(0, 100)}`,
  );
}
