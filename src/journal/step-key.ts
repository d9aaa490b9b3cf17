import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { fingerprint } from "../base/hash.ts";

/** Keys longer than this are refused: they are primary keys, shown to people and sent in headers. */
export const MAX_KEY_LENGTH = 512;
const MAX_SEGMENT_LENGTH = 64;

/** The key of a step below `path`: `joinKey("task:research", "turn:3")` is `task:research/turn:3`. */
export function joinKey(path: string, segment: string): string {
  const key = path === "" ? segment : `${path}/${segment}`;
  if (segment === "" || key.length > MAX_KEY_LENGTH) {
    throw new EngineError(
      "limit_exceeded",
      `a step key must have 1 to ${MAX_KEY_LENGTH} characters and no empty part, got ${key.length}: ${key.slice(0, 80)}`,
    );
  }
  return key;
}

/** Cache for short texts, which are mostly repeated names. */
const segments = new Map<string, string>();
const MAX_KEPT = 1000;

/**
 * Encodes any text as one segment of a step key: white space becomes `-`; the separator `/` and characters not allowed
 * in a header are percent-encoded. A text longer than 64 characters is cut and gets a hash of the whole text.
 */
export function keySegment(text: string): string {
  if (typeof text !== "string")
    throw new EngineError("invalid_input", `a name must be a text, got ${preview(text)}`);
  const known = segments.get(text);
  if (known !== undefined) return known;
  const segment = encodedSegment(text);
  if (segments.size >= MAX_KEPT) segments.clear();
  if (text.length <= MAX_SEGMENT_LENGTH) segments.set(text, segment);
  return segment;
}

function encodedSegment(text: string): string {
  const segment = encodeURIComponent(text.trim().replaceAll(/\s+/g, "-").toWellFormed()).replaceAll(
    "%3A",
    ":",
  );
  if (segment.length <= MAX_SEGMENT_LENGTH) return segment === "" ? "~" : segment;
  const head = segment.slice(0, MAX_SEGMENT_LENGTH - 17).replace(/%.?$/, "");
  return `${head}~${fingerprint(segment)}`;
}

/** Every path above `key`, nearest first: `a/b/c` gives `a/b`, `a`. */
export function* ancestors(key: string): Generator<string> {
  for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1))
    yield key.slice(0, end);
}
