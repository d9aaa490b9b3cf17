// Words of a question.
import { foldText } from "./fold.ts";
import { isWord, tokensOf } from "./pieces.ts";
import { withoutQuestionWords } from "./question-words.ts";
import { segmentsOf } from "./segments.ts";

const MAX_WORDS = 8192;

/** English endings after an apostrophe: `kettle's`. */
export const CONTRACTED = /'(?:s|d|m|ll|re|ve)$/;
export const NEGATED = /^[a-z]+n't$/;

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

/** True for `e-mail`, `T-shirt`. */
export function isSpelledApart(parts: readonly string[]): boolean {
  return (
    parts.length === 2 &&
    parts.some((part) => /^[a-z]$/.test(part)) &&
    /^[a-z]+$/.test(parts.join(""))
  );
}
