import { findMark, hasMark, latin, numberAt } from "./byte-reading.ts";
import { zipType } from "./zip-type.ts";

/** Maximum offset of the mark of a PDF, as PDF readers accept it. */
const PDF_WINDOW = 1024;
const HEAD = 4096;

/** Marks at the beginning of files, with their media types. */
const MARKS: readonly (readonly [mark: string, type: string])[] = [
  ["\u0089PNG\r\n\u001a\n", "image/png"],
  ["\u00ff\u00d8\u00ff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"],
  ["fLaC", "audio/flac"],
  ["FLV\u0001", "video/x-flv"],
  ["0&\u00b2u\u008ef\u00cf\u0011", "video/x-ms-asf"],
  ["\0\0\u0001\u00ba", "video/mpeg"],
  ["\0\0\u0001\u00b3", "video/mpeg"],
  ["PK\u0005\u0006", "application/zip"],
];

/**
 * Detects the media type of a binary format. Undefined if the bytes have no known mark. `size` is the size of the whole
 * file.
 */
export function binaryType(bytes: Uint8Array, size: number | undefined): string | undefined {
  const marked = MARKS.find(([mark]) => hasMark(bytes, mark));
  if (marked !== undefined) return marked[1];
  if (hasMark(bytes, "PK\u0003\u0004")) return zipType(bytes);
  return (
    isoType(bytes) ??
    riffType(bytes) ??
    ebmlType(bytes) ??
    oggType(bytes) ??
    (hasMark(bytes, "FORM") && /^AIF[FC]$/.test(latin(bytes, 8, 4)) ? "audio/aiff" : undefined) ??
    (isBitmap(bytes, size) ? "image/bmp" : undefined) ??
    (isPdf(bytes) ? "application/pdf" : undefined) ??
    soundType(bytes)
  );
}

/** Files of boxes (ISO/IEC 14496-12), by their brand. */
function isoType(bytes: Uint8Array): string | undefined {
  if (!hasMark(bytes, "ftyp", 4)) return undefined;
  const brand = latin(bytes, 8, 4);
  const length = Math.min(numberAt(bytes, 0, { length: 4 }) ?? 0, 512);
  const others: readonly string[] =
    latin(bytes, 16, Math.max(0, length - 16)).match(/[^]{4}/g) ?? [];
  if (brand === "avif" || brand === "avis") return "image/avif";
  if (/^hei[cx]$|^hev[cx]$/.test(brand)) return "image/heic";
  if (brand === "mif1" || brand === "msf1") {
    if (others.includes("avif") || others.includes("avis")) return "image/avif";
    return others.some((each) => /^hei[cx]$/.test(each)) ? "image/heic" : "image/heif";
  }
  if (/^M4[AB] $/.test(brand)) return "audio/mp4";
  if (brand === "qt  ") return "video/quicktime";
  return "video/mp4";
}

function riffType(bytes: Uint8Array): string | undefined {
  if (!hasMark(bytes, "RIFF")) return undefined;
  switch (latin(bytes, 8, 4)) {
    case "WEBP":
      return "image/webp";
    case "WAVE":
      return "audio/wav";
    case "AVI ":
      return "video/x-msvideo";
    default:
      return undefined;
  }
}

/** Matroska, by the document type in its header. */
function ebmlType(bytes: Uint8Array): string | undefined {
  if (!hasMark(bytes, "\u001aE\u00df\u00a3")) return undefined;
  const at = findMark(bytes, "B\u0082", { from: 4, before: HEAD });
  if (at === undefined) return undefined;
  const type = latin(bytes, at + 3, 8);
  return type.startsWith("webm")
    ? "video/webm"
    : type === "matroska"
      ? "video/x-matroska"
      : undefined;
}

function oggType(bytes: Uint8Array): string | undefined {
  if (!hasMark(bytes, "OggS")) return undefined;
  if (findMark(bytes, "OpusHead", { before: HEAD }) !== undefined) return "audio/opus";
  return findMark(bytes, "\u0080theora", { before: HEAD }) === undefined
    ? "audio/ogg"
    : "video/ogg";
}

/** Many texts begin with `BM`, so the length behind it must be the file's. */
function isBitmap(bytes: Uint8Array, size: number | undefined): boolean {
  return (
    hasMark(bytes, "BM") &&
    size !== undefined &&
    numberAt(bytes, 2, { length: 4, order: "little" }) === size
  );
}

/** Other bytes may precede the mark. Objects must follow it, as a text may merely mention the mark. */
function isPdf(bytes: Uint8Array): boolean {
  const at = findMark(bytes, "%PDF-", { before: PDF_WINDOW + 5 });
  if (at === undefined) return false;
  return at === 0 || /\d \d+ obj\b/.test(latin(bytes, at, HEAD));
}

/** MPEG audio and AAC: a frame's header has no mark, but most of its values are forbidden ones. */
function soundType(bytes: Uint8Array): string | undefined {
  if (hasMark(bytes, "ID3"))
    return hasMark(bytes, "fLaC", tagLength(bytes)) ? "audio/flac" : "audio/mpeg";
  const [first = 0, second = 0, third = 0] = bytes;
  if (first !== 0xff) return undefined;
  if (second === 0xf1 || second === 0xf9) return ((third >> 2) & 15) < 13 ? "audio/aac" : undefined;
  const isFrame = [0xfb, 0xfa, 0xf3, 0xf2].includes(second);
  return isFrame && third >> 4 !== 15 && ((third >> 2) & 3) !== 3 ? "audio/mpeg" : undefined;
}

/** Returns the length of the ID3 tag at the beginning. Each byte of its length field has seven bits. */
export function tagLength(bytes: Uint8Array): number {
  if (!hasMark(bytes, "ID3")) return 0;
  const length = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 127), 0);
  return 10 + length;
}
