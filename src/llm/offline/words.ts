// How the demo model sees language: stems of words, sentences, and how many stems two texts share.
import { termsOf } from "../../text-search/terms.ts";

/** Words of asking that mean what a tool's name would call by another word. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  [
    ["research", "search"],
    ["find", "search"],
    ["look", "search"],
    ["investigate", "search"],
    ["gather", "search"],
    ["explore", "search"],
    ["compute", "calculate"],
    ["summary", "summarize"],
    ["summarise", "summarize"],
    ["email", "mail"],
    ["analyse", "analyze"],
  ].map((words) => [termsOf(words[0] ?? "").join(""), termsOf(words[1] ?? "").join("")] as const),
);

/** The stems of a text's telling words, in order. */
export function stemsOf(text: string): string[] {
  return termsOf(text.replace(/([a-z])([A-Z])/g, "$1 $2")).map(
    (stem) => SYNONYMS.get(stem) ?? stem,
  );
}

export function stemSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap(stemsOf));
}

/** Words about the action and form of an ask, not its subject. */
const FORM: ReadonlySet<string> = stemSet(
  "answer question task ask say tell write list give find show explain describe draft report summary summarize please line lines sentence " +
    "sentences paragraph word words page text bullet point points markdown json short brief plain plainly one two three four five ten know good " +
    "user customer result complete",
);

/** `May I …`: not the month. */
const LEAVE = /\bmay\s+(?=(?:i|we|you|he|she|it|they|one|my|our|your|the|an?)\b)/gi;

/** Returns the stems of an ask's subject. */
export function tellingStems(asked: string): ReadonlySet<string> {
  return new Set(stemsOf(asked.replaceAll(LEAVE, "")).filter((each) => !FORM.has(each)));
}

/** Counts the distinct stems of `text` in `stems`. */
export function overlap(stems: ReadonlySet<string>, text: string): number {
  let shared = 0;
  for (const word of new Set(stemsOf(text))) if (stems.has(word)) shared++;
  return shared;
}

/** A sentence with its heading. */
export type HeadedSentence = { readonly sentence: string; readonly heading: string };

const HEADING = /^\s*#{1,6}\s+(.*\S)\s*$/;
/** Short separate line with a colon at its end, over the text it announces. */
const ANNOUNCING = /^\s*(?![-*•])(?:\**)(\p{L}[^:.!?]{1,60}):\**\s*$/u;

/** Like `sentencesOf`, with their headings. An announcing line applies until a blank line after its text. */
export function headedSentencesOf(text: string): HeadedSentence[] {
  let section = "";
  let announced: string | undefined;
  let hasBegun = false;
  return text.split("\n").flatMap((line, index, lines) => {
    const heading = HEADING.exec(line)?.[1];
    const announcing = ANNOUNCING.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined || (line.trim() === "" && hasBegun)) announced = undefined;
    if (heading !== undefined) return [];
    const hasMore = [lines[index + 1], lines[index + 2]].some((each = "") => each.trim() !== "");
    if (announcing !== undefined && hasMore) {
      announced = announcing;
      hasBegun = false;
      return [];
    }
    if (line.trim() !== "") hasBegun = true;
    const over = announced ?? section;
    return sentencesOf(line).map((sentence) => ({ sentence, heading: over }));
  });
}

/** The sentences and list items of a text, without bullets, heading signs and emphasis. */
export function sentencesOf(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => !/^\s*(?:#{1,6}\s|[-*_=]{3,}\s*$)/.test(line))
    .flatMap((line) => plain(line).split(/(?<=[.!?])\s+(?=["'(\p{Lu}\d])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** A line without its bullet or number and without emphasis. */
export function plain(line: string): string {
  return line
    .replace(/^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)/, "")
    .replaceAll("**", "")
    .trim();
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
