import { decodeEntities } from "../../../base/markup-entities.ts";

/** Removes the tags of an HTML or XML snippet. Whole pages have better readers. */
export function markupText(markup: string): string {
  return decodeEntities(markup.replace(/<[^<>]*>/g, ""), { nbsp: " " });
}
