// Locates faults in the text of a definition: by line and column, or in JSON by a pointer.
import { jsonOffset } from "../../parts/json-place.ts";
import type { DefinitionFault } from "../definitions/requests.ts";

export type Place = { readonly from: number; readonly to: number };

/** Returns the offset of a line and column, both from 1, or the nearest existing one. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf("\n", start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + Math.max(0, column - 1), end === -1 ? text.length : end);
}

/** Returns the place of a task, agent or method by its name, or else the beginning. */
export function placeOfName(text: string, name: string): number {
  const word = name.replaceAll(/[^\w]/g, "\\$&");
  const named = new RegExp(`\\b(?:name|role)"?:[ ]*["']?${word}["']?[ ]*(?=[,\n}]|$)`);
  const keyed = new RegExp(`(?<=^[ {]*)["']?${word}["']?:`, "m");
  return (named.exec(text) ?? keyed.exec(text))?.index ?? 0;
}

/** Returns the word, quoted text or character at fault. */
export function placeOf(text: string, { line, column, path }: DefinitionFault): Place {
  const from =
    line === undefined || column === undefined
      ? (jsonOffset(text, path) ?? 0)
      : offsetOf(text, line, column);
  const [word = ""] =
    /^(?:"(?:[^"\\\n]|\\.)*"|[\w.-]+|\S)/.exec(text.slice(from, from + 200)) ?? [];
  return { from, to: Math.min(from + Math.max(1, word.length), text.length) };
}
