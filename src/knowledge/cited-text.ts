import type { Snippet } from "./knowledge-query.ts";
import { placeTexts } from "./place.ts";

/** Returns a passage after its document and the place in it (KW3). */
export function citedText({ document, text, ...place }: Snippet): string {
  return `[${[document.name, ...placeTexts(place)].join(", ")}]\n${text.trim()}`;
}
