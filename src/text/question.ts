// Words of a question.
import { questionTerms } from "./piece-terms.ts";
import { addTerms } from "./terms.ts";
import { stemOf } from "./stems.ts";
import { foldText } from "./fold.ts";
import { isWord, tokensOf } from "./pieces.ts";
import { withoutQuestionWords } from "./question-words.ts";
import { segmentsOf } from "./segments.ts";
import { CONTRACTED, isSpelledApart, NEGATED } from "./spelling.ts";

const MAX_WORDS = 8192;

/** Returns the words of a question in order, without function words. */
export function tellingWords(query: string): readonly string[] {
  const folded = foldText(query);
  const words = tokensOf(folded).flatMap((token) =>
    isWord(token) ? [token] : questionWords(token),
  );
  const hasAccents = /[\u00c0-\u024f]/.test(query.normalize("NFC"));
  return withoutQuestionWords(words.slice(0, MAX_WORDS), { hasAccents });
}

const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}々〆ー]+/u;

/** Splits runs without spaces by dictionary, and words at signs; numbers and identifiers stay whole. */
function questionWords(token: string): readonly string[] {
  if (NEGATED.test(token)) return [];
  if (!UNSPACED.test(token)) {
    const parts = token.replace(CONTRACTED, "").split("-");
    if (isSpelledApart(parts)) return [parts.join("")];
    return /\d/.test(token) ? [token] : parts.flatMap((part) => part.split(/[_.,']/));
  }
  const words: string[] = [];
  let isAlone = false;
  for (const segment of token.split(/[-_.,']/).flatMap(segmentsOf)) {
    const core = withoutEnding(segment);
    // Characters that the dictionary leaves alone may be a name.
    const isOne = /^\p{sc=Han}$/u.test(core);
    const isFunctional = withoutQuestionWords([core, ""], { hasAccents: false }).length === 1;
    if (isOne && isAlone && !isFunctional) words.push(`${words.pop() ?? ""}${core}`);
    else words.push(core);
    isAlone = isOne && core === segment && !isFunctional;
  }
  return words;
}

/** Returns a word of Han characters without the kana of its ending: 買う is 買. */
function withoutEnding(word: string): string {
  return /^\p{sc=Han}+\p{sc=Hiragana}+$/u.test(word)
    ? word.replace(/\p{sc=Hiragana}+$/u, "")
    : word;
}

/** Returns the distinct terms of a question; a question of only function words keeps them. */
export function queryTerms(query: string): readonly string[] {
  const terms: string[] = [];
  for (const word of tellingWords(query))
    if (isWord(word)) terms.push(stemOf(word));
    else addTerms(terms, word, questionTerms);
  return [...new Set(terms)];
}

/**
 * Returns the distinct folded words of a question without its function words, for indexes with their own stemming.
 */
export function queryWords(query: string): readonly string[] {
  return [...new Set(tellingWords(query).flatMap((word) => word.split(/[-_.,']/)))];
}
