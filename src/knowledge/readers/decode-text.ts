import { EngineError } from "../../base/error.ts";

/** UTF-8 with or without a byte order mark, or UTF-16 with one. Throws `invalid_input` for other bytes. */
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
