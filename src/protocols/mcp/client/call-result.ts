// A server's whole answer to a call, and its text for the model.
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../base/json.ts";

/**
 * The result of a call. In storage, its parts have `bytes` in place of their data, and a `path` if the data is a file.
 */
export type CallResult = {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonValue;
  readonly isError?: boolean;
};

/** Reads a server's result as JSON. */
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

/**
 * Returns all parts of a result as text: texts as they are, other parts as descriptions, and the data unless a text has
 * it.
 */
export function textOfResult({ content, structuredContent }: CallResult): string {
  const texts = content.map(textOfPart);
  if (structuredContent !== undefined && !content.some((part) => says(part, structuredContent)))
    texts.push(JSON.stringify(structuredContent));
  return texts.filter((text) => text !== "").join("\n\n");
}

function textOfPart(part: JsonObject): string {
  const { type, text, uri, name, resource } = part;
  switch (type) {
    case "text":
      return shown(text);
    case "image":
    case "audio":
      return `[${type} ${described(part)}]`;
    case "resource_link":
      return `[resource: ${shown(name)}] ${shown(uri)}`;
    case "resource":
      return isJsonObject(resource) ? textOfResource(resource) : "";
    default:
      return JSON.stringify(part);
  }
}

/** Returns the contents of a resource as text. */
export function textOfResource(resource: JsonObject): string {
  const { uri, text } = resource;
  if (typeof text === "string") return `[resource: ${shown(uri)}]\n${text}`;
  return `[resource: ${shown(uri)}, ${described(resource)}]`;
}

/** Describes non-text content: `image/png: mcp/0a1b/2.png`, `image/png, 70 bytes`. */
function described({ mimeType, path, bytes, unreadable, data, blob }: JsonObject): string {
  const kind = shown(mimeType);
  if (typeof path === "string") return `${kind}: ${path}`;
  if (unreadable === true) return `${kind}, unreadable`;
  return `${kind}, ${typeof bytes === "number" ? bytes : lengthOf(data ?? blob)} bytes`;
}

function lengthOf(base64: JsonValue | undefined): number {
  return Math.floor((shown(base64).replace(/=+$/, "").length * 3) / 4);
}

/** True if a part is the data as text. Servers send both for older clients. */
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
