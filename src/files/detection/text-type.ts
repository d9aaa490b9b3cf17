import { kindOf } from "./kind-of.ts";
import { plainType, typeOfName } from "./extensions.ts";
import { parsedJson } from "../../base/json.ts";

/** Maximum size of JSON that is parsed for detection. */
const MAX_JSON_BYTES = 1024 * 1024;

/** Declared and known facts about a text. */
export type TextClaims = {
  readonly name?: string | undefined;
  readonly declared?: string | undefined;
  /** True if `bytes` is the complete file. */
  readonly isWhole: boolean;
};

/**
 * Returns the media type of text: the declared one, else by its name, else by its content. Undefined for bytes that are
 * no text.
 */
export function textType(
  bytes: Uint8Array,
  { name = "", declared = "", isWhole }: TextClaims,
): string | undefined {
  const text = decodedText(bytes, isWhole);
  if (text === undefined) return undefined;
  const claims = [plainType(declared), typeOfName(name) ?? ""];
  return claims.find((type) => kindOf(type) === "text") ?? typeOfText(text, isWhole);
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. Undefined for anything else, and for text with NULs. */
export function decodedText(bytes: Uint8Array, isWhole = true): string | undefined {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe
      ? "utf-16le"
      : first === 0xfe && second === 0xff
        ? "utf-16be"
        : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes, {
      stream: !isWhole,
    });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function typeOfText(text: string, isWhole: boolean): string {
  const start = behindComments(text).slice(0, 512).toLowerCase();
  if (/^<svg[\s>]/.test(start)) return "image/svg+xml";
  if (/^<!doctype html|^<html[\s>]/.test(start)) return "text/html";
  if (start.startsWith("<?xml")) return isSvg(text) ? "image/svg+xml" : "application/xml";
  if (
    /^[[{]/.test(start) &&
    isWhole &&
    text.length <= MAX_JSON_BYTES &&
    parsedJson(text) !== undefined
  )
    return "application/json";
  return "text/plain";
}

/** True if the first element of an XML document is that of an SVG. */
function isSvg(text: string): boolean {
  let rest = behindComments(text);
  for (let count = 0; count < 16; count++) {
    const end = /^<[?!]/.test(rest) ? rest.indexOf(">") : -1;
    if (end < 0) break;
    rest = behindComments(rest.slice(end + 1));
  }
  return /^<(?:\w+:)?svg[\s>]/i.test(rest);
}

/** Skips a byte order mark, blanks and comments. */
function behindComments(text: string): string {
  let rest = text.replace(/^\ufeff/, "").trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->");
    if (end < 0) return rest;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}
