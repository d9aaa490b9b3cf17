// Media types accepted by a caller, and conversion of other parts.
import { canonicalJson, type JsonValue } from "../../base/json.ts";
import type { Part } from "./schema.ts";

/** Returns the media type of a part. */
export function mediaTypeOf({ mediaType, text, data }: Part): string {
  if (mediaType !== undefined && mediaType !== "") return mediaType.toLowerCase();
  if (text !== undefined) return "text/plain";
  return data === undefined ? "application/octet-stream" : "application/json";
}

/**
 * True if one of the patterns, such as `text/plain` or `text/*`, matches a media type. An empty list matches every
 * type.
 */
export function accepts(patterns: readonly string[], mediaType: string): boolean {
  if (patterns.length === 0) return true;
  const [type = "", subtype = ""] = bare(mediaType).split("/");
  return patterns.some((pattern) => {
    const [wantedType = "", wantedSubtype = "*"] = bare(pattern).split("/");
    return (
      (wantedType === "*" || wantedType === type) &&
      (wantedSubtype === "*" || wantedSubtype === subtype)
    );
  });
}

/** True if a caller accepts at least one of the subject's types. */
export function overlaps(patterns: readonly string[], offered: readonly string[]): boolean {
  return patterns.length === 0 || offered.some((type) => accepts(patterns, type));
}

/** True if the text is JSON of this data. */
export function saysData(text: string, data: JsonValue): boolean {
  try {
    return canonicalJson(JSON.parse(text) as JsonValue) === canonicalJson(data);
  } catch {
    return false;
  }
}

/**
 * Returns the parts in accepted types. For a caller of text alone, data becomes JSON text, once. If no text part has an
 * accepted type, all text parts stay, because readers look for a result only in text parts. Other parts are left out,
 * unless the result would be empty.
 */
export function acceptedParts(
  parts: readonly Part[],
  patterns: readonly string[],
): readonly Part[] {
  if (patterns.length === 0) return parts;
  const isTaken = (part: Part): boolean => accepts(patterns, mediaTypeOf(part));
  const hasText = parts.some((part) => part.text !== undefined && isTaken(part));
  const taken = parts.flatMap((part): readonly Part[] => {
    if (isTaken(part) || (part.text !== undefined && !hasText)) return [part];
    const { data, mediaType: _, ...others } = part;
    const isSaid =
      data !== undefined && parts.some(({ text }) => text !== undefined && saysData(text, data));
    return data !== undefined && !isSaid && accepts(patterns, "text/plain")
      ? [{ ...others, text: JSON.stringify(data) }]
      : [];
  });
  return taken.length === 0 ? parts : taken;
}

function bare(mediaType: string): string {
  return mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
