// JSON pointers into a sample body.
import type { Json } from "../../api-types.ts";

export type Place = {
  readonly pointer: string;
  /** Last part of the pointer. */
  readonly name: string;
  readonly depth: number;
  /** Beginning of the value, in one line. */
  readonly preview: string;
};

const MAX_PLACES = 300;
const MAX_DEPTH = 6;
const MAX_PREVIEW = 60;

/** Returns every place in the sample, in order; at most 300. */
export function placesIn(sample: Json): readonly Place[] {
  const places: Place[] = [];
  const visit = (value: Json, pointer: string, depth: number): void => {
    if (places.length === MAX_PLACES) return;
    const name = depth === 0 ? "The whole body" : partOf(pointer);
    places.push({ pointer, name, depth, preview: previewOf(value) });
    if (value === null || typeof value !== "object" || depth === MAX_DEPTH) return;
    for (const [key, each] of Object.entries(value))
      visit(each, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1);
  };
  visit(sample, "", 0);
  return places;
}

function partOf(pointer: string): string {
  const part = pointer.slice(pointer.lastIndexOf("/") + 1);
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function previewOf(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_PREVIEW ? `${text.slice(0, MAX_PREVIEW)} …` : text;
}
