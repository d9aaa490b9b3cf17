// Language of the demo model: stems of words, sentences, and shared stems of two texts.
import {
  documentTerms,
  ENGLISH,
  questionTerms,
  sentencesIn,
  tellingWords,
  wordPieces,
  type Piece,
} from "../../text/index.ts";

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can could do does for from had has have how i if in into is it its me my of on " +
    "or our out so such than that the their them then there these they this those to up us was we were what when where " +
    "which while who why will with would you your all any each every about also only not no"
  ).split(" "),
);

/** Words of an ask with the same meaning as another word in a tool's name. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
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
]);

/** The stems of a text's telling words, in order; in scripts without spaces the terms of a document. */
export function stemsOf(text: string): string[] {
  return stemsBy(text, documentTerms);
}

/** The stems of asks; in scripts without spaces the terms of a question. */
export function stemSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => [
      ...stemsBy(text, () => []),
      ...tellingWords(text).flatMap((word) => wordPieces(word).flatMap(sequencesOf)),
    ]),
  );
}

function stemsBy(text: string, termsOfPiece: (piece: Piece) => readonly string[]): string[] {
  return wordPieces(text.replace(/([a-z])([A-Z])/g, "$1 $2")).flatMap((piece) => {
    if (piece.kind !== "latin" && piece.kind !== "number") return termsOfPiece(piece);
    const word = piece.text;
    return !STOP_WORDS.has(word) && (word.length > 1 || /\d/.test(word)) ? [stem(word)] : [];
  });
}

function sequencesOf(piece: Piece): readonly string[] {
  return piece.kind === "latin" || piece.kind === "number" ? [] : questionTerms(piece);
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
  const text = asked.replaceAll(LEAVE, "");
  const english = wordPieces(text).flatMap((piece) => (ENGLISH.has(piece.text) ? piece.text : []));
  const telling = new Set(
    [...tellingWords(text), ...english].flatMap((word) => stemsBy(word, () => [])),
  );
  return new Set(
    [...stemSet(text)].filter((each) => !FORM.has(each) && !isFunctional(each, telling)),
  );
}

/** True for a function word of a language in Latin letters. */
function isFunctional(each: string, telling: ReadonlySet<string>): boolean {
  return /^[a-z]{1,8}$/.test(each) && telling.size > 0 && !telling.has(each);
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
const ANNOUNCING = /^\s*(?![-*•])(?:\**)(\p{L}[^:：.!?]{1,60})[:：]\**\s*$/u;

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
    .flatMap((line) => sentencesIn(plain(line)))
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

function stem(word: string): string {
  const known = SYNONYMS.get(word);
  if (known !== undefined) return known;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith("ing")) return withoutFinalE(word.slice(0, -3));
  if (word.length > 4 && word.endsWith("ed")) return withoutFinalE(word.slice(0, -2));
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss"))
    return withoutFinalE(word.slice(0, -1));
  return withoutFinalE(word);
}

/** `parse`, `parses`, `parsed` and `parsing` meet at `pars`. */
function withoutFinalE(word: string): string {
  return word.length > 4 && word.endsWith("e") ? word.slice(0, -1) : word;
}
