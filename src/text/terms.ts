// Terms: texts in the form for search.
//
//   TXT1. A term of a document depends on its text alone (TXF2): words become stems, runs of scripts without spaces become
//        short sequences of characters, numbers and identifiers their forms.
//   TXT2. The terms of a question are among the terms of the same text as a document. Dictionaries split only
//        questions, so both agree also where the runtime's dictionaries change.
//   TXT3. `TEXT_VERSION` grows with each change of the terms of a document. An index with another version is rebuilt.
import { foldText } from "./fold.ts";
import { documentTerms } from "./piece-terms.ts";
import { isWord, piecesOf, tokensOf, type Piece } from "./pieces.ts";
import { CONTRACTED, isSpelledApart, NEGATED } from "./spelling.ts";
import { ENGLISH } from "./english.ts";
import { stemOf } from "./stems.ts";

/** Version of the terms of a document, for stored indexes (TXT3). */
export const TEXT_VERSION = 1;

/** Maximum number of terms; longer texts are searched by their beginning. */
const MAX_TERMS = 8192;
/** Maximum length of an identifier that is also a term without its hyphens. */
const MAX_JOINED = 40;
/** Minimum number of digits of a date or a telephone number. */
const MIN_DIGITS = 7;

/**
 * Returns the terms of a document in order, with repetitions. A term has letters, digits, marks, and in decimals a dot.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const token of tokensOf(foldText(text))) {
    if (terms.length >= MAX_TERMS) break;
    if (!isWord(token)) addTerms(terms, token, documentTerms);
    else if (!ENGLISH.has(token)) terms.push(stemOf(token));
  }
  return terms.length > MAX_TERMS ? terms.slice(0, MAX_TERMS) : terms;
}

/** Returns the share of the question's terms found in a text, 0 to 1. Longer terms weigh more. */
export function coverage(terms: readonly string[], text: string): number {
  return shareOf(terms, termsOf(text));
}

/** Returns `coverage` of a text with these terms. */
export function shareOf(terms: readonly string[], found: readonly string[]): number {
  const there = new Set(found);
  let [part, all] = [0, 0];
  for (const term of terms) {
    const weight = Math.log2(1 + term.length);
    all += weight;
    if (there.has(term)) part += weight;
  }
  return all === 0 ? 0 : part / all;
}

/** Adds the terms of a token that is no plain word. */
export function addTerms(
  terms: string[],
  token: string,
  termsOfPiece: (piece: Piece) => readonly string[],
): void {
  if (NEGATED.test(token)) return;
  const parts = token.replace(CONTRACTED, "").split("-");
  if (isIdentifier(parts)) terms.push(parts.join(""));
  for (const part of parts.flatMap((each) => each.split("_"))) {
    const pieces = piecesOf(part);
    // Letters with digits are a term together, and each alone.
    if (pieces.length > 1)
      for (const field of part.split(",")) if (MIXED.test(field)) terms.push(field);
    if (pieces.length > 2 && MIXED.test(part)) continue;
    for (const piece of pieces)
      for (const term of termsOfPiece(piece)) if (!ENGLISH.has(term)) terms.push(term);
  }
}

/** Letters and digits: `m8`. */
const MIXED = /^(?=\d*[a-z])(?=[a-z]*\d)[a-z\d]+$/;

/** True for `SKU-1400`, `e-mail` and `2026-11-30`, also written without hyphens; false for `10-20`. */
function isIdentifier(parts: readonly string[]): boolean {
  const whole = parts.join("");
  if (parts.length === 1 || whole.length > MAX_JOINED || !/^[\p{L}\d]+$/u.test(whole)) return false;
  if (/^\d+$/.test(whole)) return whole.length >= MIN_DIGITS;
  return isSpelledApart(parts) || /\d/.test(whole);
}
