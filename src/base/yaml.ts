// YAML 1.2 by its core schema (`yes`, `on` and dates are texts) with merge keys, one document to a text.
import { placesIn, type TextPlace } from "./text-place.ts";
import { YamlReader } from "./yaml-reader.ts";

/** Place of a value, and of the values in it: by key, or by number. */
export type Placed = {
  readonly offset: number;
  readonly children: ReadonlyMap<string, Placed> | readonly Placed[];
};

export type YamlText = {
  /** Parsed value; `null` for an empty text. */
  readonly value: unknown;
  readonly root: Placed;
  readonly placeAt: (offset: number) => TextPlace;
};

/** All but what a text may consist of; a half of a pair of surrogates as well. */
const NOT_PRINTABLE = /[^\t\n\x20-\x7E\x85\xA0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** Parses a YAML text. Throws the result of `refuse` for the first error. */
export function readYaml(
  text: string,
  refuse: (reason: string, place: TextPlace) => Error,
): YamlText {
  const lines = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const placeAt = placesIn(lines);
  const refuseAt = (reason: string, offset: number): Error => refuse(reason, placeAt(offset));
  const unprintable = lines.search(NOT_PRINTABLE);
  if (unprintable >= 0)
    throw refuseAt("the text has a character that is not printable", unprintable);
  const root = new YamlReader(lines, refuseAt).document();
  return { value: root.value, root, placeAt };
}
