/** Result of one document. */
export type ComparedWords = {
  /** Number of words of the other library. */
  readonly words: number;
  /** Those of them that the text does not have. */
  readonly missing: readonly string[];
};

const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** Compares the words of a text with those of another library's. Spaces within words do not count. */
export function compareWords(own: string, other: string): ComparedWords {
  const left = new Map<string, number>();
  for (const word of wordsOf(own)) left.set(word, (left.get(word) ?? 0) + 1);
  const squeezed = wordsOf(own).join("");
  const words = wordsOf(other.replaceAll(/(\p{L})[-\u00ad\u2010]\s*\n\s*(\p{Ll})/gu, "$1$2"));
  const missing = words.filter((word) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    return count === 0 && !(word.length > 2 && squeezed.includes(word));
  });
  return { words: words.length, missing };
}

function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\u00ad\u200b-\u200f\u0640]/g, "");
  return plain.match(WORDS) ?? [];
}
