import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { DocumentLosses } from "../document-losses.ts";
import { detectEncoding } from "./detect-encoding.ts";

type DecodeOptions = {
  /** Label of the encoding. @default by the byte order mark, else UTF-8, else guessed by the bytes (ENC1) */
  readonly encoding?: string | undefined;
  /** Receives a guessed encoding. */
  readonly losses?: DocumentLosses;
};

/** Decodes a text. Throws `invalid_input` for bytes that are no text, or not of the named encoding. */
export function decodeText(bytes: Uint8Array, { encoding, losses }: DecodeOptions = {}): string {
  const marked = markedEncoding(bytes);
  const named = marked ?? encoding;
  const text = strictly(bytes, named ?? "utf-8");
  if (text !== undefined && !(named === undefined && text.includes("\0"))) return text;
  if (named !== undefined)
    throw new EngineError(
      "invalid_input",
      `the document must be text in ${named}, got other bytes: name its encoding, or save it in UTF-8`,
    );
  const guessed = detectEncoding(bytes);
  const read = guessed === undefined ? undefined : decoded(bytes, guessed);
  if (guessed === undefined || read === undefined)
    throw new EngineError(
      "invalid_input",
      "the document must be text, got other bytes: name its encoding if it is text, or save it in UTF-8",
    );
  losses?.add("encoding", { example: guessed });
  return read;
}

/** Throws `invalid_input` for an unknown encoding, naming the field. */
export function checkEncoding(encoding: unknown, field: string): void {
  if (typeof encoding === "string" && knownEncoding(encoding) !== undefined) return;
  throw new EngineError(
    "invalid_input",
    `${field} must be the name of an encoding, such as windows-1252 or shift_jis, got ${preview(encoding)}`,
  );
}

/** Returns the encoding named by the `charset` of a media type, if it is known. */
export function encodingOf(mediaType: string): string | undefined {
  const label = /;\s*charset\s*=\s*["']?([\w:.-]+)/i.exec(mediaType)?.[1];
  return label === undefined ? undefined : knownEncoding(label);
}

function knownEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}

function strictly(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

const META = /<meta[^>]+?charset\s*=\s*["']?\s*([\w:.-]+)/i;
/** Bytes of a page searched for its encoding. */
const META_BYTES = 1024;

/**
 * Decodes a page. Its byte order mark, its media type or its `meta` determines the encoding; otherwise it is UTF-8, or
 * guessed by the bytes if most of its other letters are no UTF-8 (DE1). Invalid bytes become replacement characters.
 */
export function decodeHtml(bytes: Uint8Array, contentType = "", losses?: DocumentLosses): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decoded(bytes, "utf-16le") ?? "";
  if (first === 0xfe && second === 0xff) return decoded(bytes, "utf-16be") ?? "";
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, META_BYTES));
  const isMarked = first === 0xef && second === 0xbb && bytes[2] === 0xbf;
  const named = isMarked ? undefined : /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  // A page with a readable `meta` is not in UTF-16, in spite of its `meta`.
  const own = isMarked ? undefined : META.exec(beginning)?.[1]?.replace(/^utf-16.*/i, "utf-8");
  for (const label of [named, own])
    if (label !== undefined) {
      const text = decoded(bytes, label);
      if (text !== undefined) return text;
    }
  const text = decoded(bytes, "utf-8") ?? "";
  const guessed = isOtherEncoding(text) ? detectEncoding(bytes) : undefined;
  const read = guessed === undefined ? undefined : decoded(bytes, guessed);
  if (read === undefined) return text;
  losses?.add("encoding", { example: guessed });
  return read;
}

/** True if more letters beyond ASCII are invalid than valid. */
function isOtherEncoding(text: string): boolean {
  const at = text.indexOf("\ufffd");
  if (at === -1) return false;
  let invalid = 0;
  let valid = 0;
  for (const [letter] of text.matchAll(/[\u0080-\uffff]/g))
    if (letter === "\ufffd") invalid++;
    else valid++;
  return invalid > valid;
}

/** Undefined for an unknown encoding. */
function decoded(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}
