// Detects the media type of a file by its bytes.
//
//   FTY1. For binary formats the bytes decide, regardless of the name and the declared type. Unknown bytes are
//         `application/octet-stream`.
//   FTY2. Text has its declared type if that is a text type, else the type of its name, else the type of its beginning.
//   FTY3. SVG and HTML are text, never an image or a page: their content is neither run nor shown.
import { binaryType } from "./binary-type.ts";
import { hasMark } from "./byte-reading.ts";
import { plainType, typeOfName } from "./extensions.ts";
import { textType } from "./text-type.ts";

/** Number of bytes that `mediaTypeOf` reads. With fewer of a longer file it may detect less. */
export const DETECTION_BYTES = 64 * 1024;

/** Further facts about a file, from its sender. */
export type FileClaims = {
  readonly name?: string | undefined;
  /** Media type declared by the sender. */
  readonly declared?: string | undefined;
  /**
   * Size of the whole file, in bytes; undefined while unknown. @default that of `bytes`, when those are fewer than 64
   * KiB
   */
  readonly size?: number | undefined;
};

/** Returns the media type of a file that begins with these bytes. */
export function mediaTypeOf(bytes: Uint8Array, claims: FileClaims = {}): string {
  const size = claims.size ?? (bytes.length < DETECTION_BYTES ? bytes.length : undefined);
  const binary = binaryType(bytes, size);
  if (binary !== undefined) return refined(binary, claims);
  const isWhole = size !== undefined && bytes.length >= size;
  const text = textType(bytes, { ...claims, isWhole });
  if (text !== undefined) return text;
  return hasMark(bytes, OLE) ? (oleType(claims) ?? UNKNOWN) : UNKNOWN;
}

const UNKNOWN = "application/octet-stream";
/** Old Office formats from before ZIP: one container for all of them. */
const OLE = "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1";

function oleType({ name = "", declared = "" }: FileClaims): string | undefined {
  const types = [plainType(declared), typeOfName(name)];
  return types.find((type) => /^application\/(?:msword|vnd\.ms-\w+)$/.test(type ?? ""));
}

/** ASF holds sound or pictures; the name decides. */
function refined(type: string, { name = "" }: FileClaims): string {
  const named = typeOfName(name);
  return type === "video/x-ms-asf" && /^(?:audio|video)\/x-ms-w/.test(named ?? "")
    ? (named ?? type)
    : type;
}
