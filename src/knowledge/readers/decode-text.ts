import { EngineError } from "../../base/error.ts";

/** Decodes UTF-8 with or without a byte order mark, or UTF-16 with one. Throws `invalid_input` for other bytes. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 = first === 0xff && second === 0xfe ? "utf-16le" : undefined;
  const encoding = first === 0xfe && second === 0xff ? "utf-16be" : (utf16 ?? "utf-8");
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new EngineError(
      "invalid_input",
      "the document must be text in UTF-8, or in UTF-16 with a byte order mark, got other bytes",
    );
  }
}

const META = /<meta[^>]+?charset\s*=\s*["']?\s*([\w:.-]+)/i;
/** Bytes of a page searched for its encoding. */
const META_BYTES = 1024;

/**
 * Decodes a page. Its byte order mark, its media type or its `meta` determines the encoding; the default is UTF-8.
 * Invalid bytes become replacement characters.
 */
export function decodeHtml(bytes: Uint8Array, contentType = ""): string {
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
  return decoded(bytes, "utf-8") ?? "";
}

/** Undefined for an unknown encoding. */
function decoded(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}
