// Words of a text, in the form for comparison.

/** Words without a meaning for search. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does done for from had has have he " +
    "her his how i if in into is it its just may me might more most my no nor not of on one only or other our out over she " +
    "should so some such than that the their them then there these they this those through to too up us very was we were what " +
    "when where which while who whom whose why will with would you your"
  ).split(" "),
);

/** Maximum number of terms; longer texts are searched by their beginning. */
const MAX_TERMS = 4096;

/** Returns the terms of a text in order: lower case, without accents, endings and stop words. */
export function termsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .slice(0, MAX_TERMS)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemOf);
}

/** Returns the distinct terms of a question; a question of only stop words keeps them. */
export function queryTerms(query: string): readonly string[] {
  const terms = termsOf(query);
  if (terms.length > 0) return [...new Set(terms)];
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/**
 * Returns the distinct words of a question in their original form, without stop words, for indexes with their own
 * stemming.
 */
export function queryWords(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return [...new Set(telling.length > 0 ? telling : words)];
}

/** Returns the share of the question's terms found in a text, 0 to 1. Longer terms weigh more. */
export function coverage(terms: readonly string[], text: string): number {
  const there = new Set(termsOf(text));
  let [found, all] = [0, 0];
  for (const term of terms) {
    const weight = Math.log2(1 + term.length);
    all += weight;
    if (there.has(term)) found += weight;
  }
  return all === 0 ? 0 : found / all;
}

/** Removes plurals, and the commonest endings of verbs and nouns. */
function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  return word
    .replace(/(?<=.{2})ies$/, "y")
    .replace(/(?<=[sxz]|[cs]h)es$/, "")
    .replace(/(?<=[^su])s$/, "")
    .replace(/(?<=.{3})(ingly|edly|ing|ed|ly)$/, "")
    .replace(/(?<=.{4})(ments?|ness|ations?|ions?|ers?)$/, "")
    .replace(/([^aeioulsz])\1$/, "$1")
    .replace(/(?<=.{2})[ey]$/, "");
}
