import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

/**
 * Returns the parts of a result or resource in valid form. An invalid part, for which the protocol's client would
 * refuse the whole, becomes a text.
 */
export function repairedParts(content: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(content) ? (content as readonly JsonValue[]).map(repairedPart) : [];
}

function repairedPart(part: JsonValue): JsonObject {
  if (!isJsonObject(part)) return text(JSON.stringify(part));
  const { annotations: _, _meta, ...rest } = part;
  const { type, data, mimeType = "", resource, uri, name } = rest;
  switch (type) {
    case "text":
      return typeof rest["text"] === "string" ? rest : text("");
    case "image":
    case "audio": {
      const base64 = base64Of(data);
      if (base64 === undefined || typeof mimeType !== "string") return unreadable(type, mimeType);
      return { type, mimeType, data: base64 };
    }
    case "resource_link":
      if (typeof uri === "string")
        return { type, uri, name: typeof name === "string" ? name : uri };
      return text(JSON.stringify(rest));
    case "resource":
      return isJsonObject(resource) ? { type, resource: repairedResource(resource) } : text("");
    default:
      return text(JSON.stringify(rest));
  }
}

function repairedResource(resource: JsonObject): JsonObject {
  const { uri, mimeType, text: said, blob } = resource;
  const about = {
    uri: typeof uri === "string" ? uri : "",
    ...(typeof mimeType === "string" ? { mimeType } : undefined),
  };
  if (typeof said === "string") return { ...about, text: said };
  const base64 = base64Of(blob);
  return base64 === undefined ? { ...about, text: "" } : { ...about, blob: base64 };
}

/** Returns base64 in one line with padding; undefined for invalid base64. */
function base64Of(value: JsonValue | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const bare = value.replace(/\s+/g, "").replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(bare) || bare.length % 4 === 1) return undefined;
  return bare + "=".repeat((4 - (bare.length % 4)) % 4);
}

function unreadable(type: string, mimeType: JsonValue): JsonObject {
  const kind = typeof mimeType === "string" ? ` ${mimeType}` : "";
  return text(`[${type}${kind}, unreadable]`);
}

function text(said: string): JsonObject {
  return { type: "text", text: said };
}
