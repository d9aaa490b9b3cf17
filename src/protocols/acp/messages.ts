// Messages of clients.
import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import { Refusal } from "./refusal.ts";
import type { A2AMessage, Artifact, MessagePart, TextsByName } from "./task.ts";

/** Limits of a message or task. */
export const MESSAGE_LIMITS = { parts: 64, textBytes: 65_536, metadataBytes: 16_384 } as const;
/** Pattern of ids chosen by callers. */
export const TASK_ID_PATTERN = /^[A-Za-z0-9_.:-]{1,128}$/;

/**
 * Reads a message. `strict` refuses content that would be lost: parts other than text, other roles, metadata other than
 * text.
 */
export function readMessage(value: unknown, strict: boolean): A2AMessage {
  const { role, parts, metadata } = isJsonObject(value) ? value : {};
  if (typeof role !== "string" || role === "" || !Array.isArray(parts))
    throw new Refusal(400, "message with role and parts[] is required");
  if (strict && role !== "user" && role !== "agent")
    throw new Refusal(400, `message.role must be "user" or "agent", got ${preview(role)}`);
  if (parts.length > MESSAGE_LIMITS.parts)
    throw new Refusal(
      413,
      `message.parts may have at most ${MESSAGE_LIMITS.parts} entries, got ${parts.length}`,
    );
  const texts = parts.map(readText).filter((text) => text !== undefined);
  const other = parts.findIndex((part) => readText(part) === undefined);
  if (strict && other >= 0)
    throw new Refusal(
      400,
      `message.parts[${other}] must be { type: "text", text }, got ${preview(parts[other])}`,
    );
  checkText(texts.join("\n"), "message.parts");
  const texted = readTexts(metadata, { field: "message.metadata", strict });
  return {
    role: role === "agent" ? "agent" : "user",
    parts: texts.map((text) => ({ type: "text", text })),
    ...(texted === undefined ? undefined : { metadata: texted }),
  };
}

/**
 * Reads a message that may also be a plain text, or another object, whose JSON becomes the text. Code Buddy accepts any
 * JSON.
 */
export function readLooseMessage(value: unknown, strict: boolean): A2AMessage {
  if (isJsonObject(value) && Array.isArray(value["parts"]))
    return readMessage({ role: "user", ...value }, strict);
  const isOther = isJsonObject(value) && value["parts"] === undefined;
  if (strict && typeof value !== "string" && !isOther)
    throw new Refusal(
      400,
      `message must be a text, or an object with a list of parts, got ${preview(value)}`,
    );
  const text = typeof value === "string" ? value : JSON.stringify(value);
  checkText(text, "message");
  return { role: "user", parts: [{ type: "text", text }] };
}

/** Reads an object of texts. `strict` refuses other values; otherwise they are left out. */
export function readTexts(
  value: unknown,
  { field, strict }: { readonly field: string; readonly strict: boolean },
): TextsByName | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  if (strict && (!isJsonObject(value) || texts.length < entries.length))
    throw new Refusal(400, `${field} must be an object of strings, got ${preview(value)}`);
  if (byteLength(JSON.stringify(texts)) > MESSAGE_LIMITS.metadataBytes)
    throw new Refusal(413, `${field} may have at most ${MESSAGE_LIMITS.metadataBytes} bytes`);
  return Object.fromEntries(texts);
}

/** Reads the artifacts of another agent, without invalid ones. */
export function readArtifacts(value: JsonValue | undefined): readonly Artifact[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MESSAGE_LIMITS.parts).flatMap((artifact: JsonValue) => {
    if (!isJsonObject(artifact) || !Array.isArray(artifact["parts"])) return [];
    const { name } = artifact;
    const parts = (artifact["parts"] as JsonValue[]).flatMap((part): MessagePart[] => {
      const text = readText(part);
      if (text !== undefined) return [{ type: "text", text }];
      const isFile = isJsonObject(part) && part["type"] === "file" && isJsonObject(part["file"]);
      return isFile ? [part as unknown as MessagePart] : [];
    });
    return [{ name: typeof name === "string" ? name : "artifact", parts }];
  });
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function readText(part: unknown): string | undefined {
  if (!isJsonObject(part) || part["type"] !== "text") return undefined;
  const { text } = part;
  return typeof text === "string" ? text : undefined;
}

function checkText(text: string, field: string): void {
  if (text.trim() === "") throw new Refusal(400, `${field} must hold a text that is not empty`);
  if (byteLength(text) > MESSAGE_LIMITS.textBytes)
    throw new Refusal(413, `${field} may hold at most ${MESSAGE_LIMITS.textBytes} bytes of text`);
}

/** Reads an id; undefined for none. Lax readers ignore values of other types. */
export function idIn(
  id: JsonValue | undefined,
  { field, strict }: { readonly field: string; readonly strict: boolean },
): string | undefined {
  if (id === undefined || id === null || id === "") return undefined;
  if (typeof id === "string") return id;
  if (strict) throw new Refusal(400, `${field} must be a string, got ${preview(id)}`);
  return undefined;
}
