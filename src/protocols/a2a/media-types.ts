// Which media types a caller takes, and what is made of parts that it does not.
import { canonicalJson, type JsonValue } from "../../base/json.ts";
import type { Part } from "./schema.ts";

/** The media type of a part. */
export function mediaTypeOf({ mediaType, text, data }: Part): string {
  if (mediaType !== undefined && mediaType !== "") return mediaType.toLowerCase();
  if (text !== undefined) return "text/plain";
  return data === undefined ? "application/octet-stream" : "application/json";
}

/** Whether one of the patterns, such as `text/plain` or `text/*`, takes a media type; none at all take every one. */
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

/** True where a caller takes at least one of the types that a subject answers with. */
export function overlaps(patterns: readonly string[], offered: readonly string[]): boolean {
  return patterns.length === 0 || offered.some((type) => accepts(patterns, type));
}

/** True for a text that is the JSON of this data. */
export function saysData(text: string, data: JsonValue): boolean {
  try {
    return canonicalJson(JSON.parse(text) as JsonValue) === canonicalJson(data);
  } catch {
    return false;
  }
}

/**
 * The parts in the types that the caller takes: data as JSON text, once, for one that takes text alone. Text stays text, whatever the caller
 * takes, unless it is there in another type that the caller does take: readers look for a result in text parts alone. Other parts are
 * left out, unless nothing would be left.
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
