// Ids of questions in words: for callers whose protocol has no place for the key of a wait.
import { sha256Hex } from "../base/sha256.ts";

const WRITTEN = /\(Question ([0-9a-f]{12})\)$/;
const NAMED = /^\s*\(?Question ([0-9a-f]{12})\b\)?:?\s*/i;

/** Returns the id of a wait's question. */
export function questionIdOf(runId: string, key: string): string {
  return sha256Hex(JSON.stringify([runId, key])).slice(0, 12);
}

/** Returns the text of a question with its id at the end. */
export function withQuestionId(text: string, id: string): string {
  return `${text}\n\n(Question ${id})`;
}

/** Returns the id at the end of a question; undefined for other texts. */
export function questionIdIn(text: string): string | undefined {
  return WRITTEN.exec(text.trimEnd())?.[1];
}

/** Splits an answer that begins with the id of its question; undefined for other texts. */
export function namedAnswer(
  text: string,
): { readonly id: string; readonly text: string } | undefined {
  const [all = "", id] = NAMED.exec(text) ?? [];
  return id === undefined ? undefined : { id: id.toLowerCase(), text: text.slice(all.length) };
}
