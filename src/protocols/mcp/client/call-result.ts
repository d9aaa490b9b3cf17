// What a server answered to a call, whole, and the text of it that a model is shown.
import type { FileStore } from "../../../files/file-store.ts";
import { fromBase64 } from "../../../base/bytes.ts";
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../base/json.ts";

/** The result of a call. Images and audio that are in the file store have a `path` in place of their `data`. */
export type CallResult = {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonValue;
  readonly isError?: boolean;
};

/** A server's result as JSON. */
export function readResult(result: Readonly<Record<string, unknown>>): CallResult {
  const { content, structuredContent, isError } = result;
  return {
    content: Array.isArray(content) ? (content as unknown[]).filter(isJsonObject) : [],
    ...(structuredContent === undefined
      ? undefined
      : { structuredContent: structuredContent as JsonValue }),
    ...(isError === true ? { isError } : undefined),
  };
}

/** All parts of a result as text: texts as they are, other parts by what they are, and the data where no text says it. */
export function textOfResult({ content, structuredContent }: CallResult): string {
  const texts = content.map(textOfPart);
  if (structuredContent !== undefined && !content.some((part) => says(part, structuredContent)))
    texts.push(JSON.stringify(structuredContent));
  return texts.filter((text) => text !== "").join("\n\n");
}

/** The result with what is no text put into files, below `folder`. */
export async function withFiles(
  result: CallResult,
  files: FileStore,
  folder: string,
): Promise<CallResult> {
  const content = await Promise.all(
    result.content.map(async (part, index): Promise<JsonObject> => {
      const { data, mimeType, ...rest } = part;
      if (typeof data !== "string" || typeof mimeType !== "string") return part;
      const bytes = bytesOf(data);
      if (bytes === undefined) return part;
      const path = `${folder}/${index + 1}.${endingOf(mimeType)}`;
      await files.put(path, bytes, mediaType(mimeType));
      return { ...rest, mimeType, path, bytes: bytes.byteLength };
    }),
  );
  return { ...result, content };
}

function textOfPart(part: JsonObject): string {
  const { type, text, uri, name, mimeType, data, path, resource } = part;
  switch (type) {
    case "text":
      return shown(text);
    case "image":
    case "audio": {
      const what = `${type} ${shown(mimeType)}`.trim();
      if (typeof path === "string") return `[${what}: ${path}]`;
      return `[${what}, ${lengthOf(data)} bytes]`;
    }
    case "resource_link":
      return `[resource: ${shown(name)}] ${shown(uri)}`;
    case "resource":
      return isJsonObject(resource) ? textOfResource(resource) : "";
    default:
      return JSON.stringify(part);
  }
}

/** The contents of a resource as text. */
export function textOfResource({ uri, text, mimeType, blob }: JsonObject): string {
  if (typeof text === "string") return `[resource: ${shown(uri)}]\n${text}`;
  return `[resource: ${shown(uri)}, ${shown(mimeType)}, ${lengthOf(blob)} bytes]`;
}

function lengthOf(base64: JsonValue | undefined): number {
  return Math.floor((shown(base64).replace(/=+$/, "").length * 3) / 4);
}

/** Whether a part is the data as text, as servers send both for older clients. */
function says({ type, text }: JsonObject, data: JsonValue): boolean {
  if (type !== "text" || typeof text !== "string") return false;
  try {
    return canonicalJson(JSON.parse(text) as JsonValue) === canonicalJson(data);
  } catch {
    return false;
  }
}

function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function bytesOf(data: string): Uint8Array | undefined {
  try {
    return fromBase64(data);
  } catch {
    return undefined;
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
};

function endingOf(mimeType: string): string {
  const known = ENDINGS[mimeType.toLowerCase()];
  return known ?? "bin";
}

/** A media type is a header's value where the file is read: nothing else gets into it. */
function mediaType(mimeType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream";
}
