import { fromBase64, toBase64 } from "../../../base/bytes.ts";
import type { JsonObject } from "../../../base/json.ts";
import { serviceFailure } from "../base/service-failure.ts";

/** Decodes the content written by a model, as text or in base64. */
export function contentOf(content: string, isBinary: boolean): Uint8Array {
  if (!isBinary) return new TextEncoder().encode(content);
  try {
    return fromBase64(content);
  } catch {
    throw serviceFailure({ code: "bad_request", message: "The content is no base64." });
  }
}

/** Returns a file in the form for a model: as text, or in base64 if it is not text. */
export function fileAnswer(path: string, bytes: Uint8Array, isBinary: boolean): JsonObject {
  const base64 = { path, encoding: "base64", content: toBase64(bytes) };
  if (isBinary) return base64;
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return { path, encoding: "utf-8", content };
  } catch {
    return { ...base64, note: "The file is no text: this is base64." };
  }
}
