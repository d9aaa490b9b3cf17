// English spellings within a token.

/** English endings after an apostrophe: `kettle's`. */
export const CONTRACTED = /'(?:s|d|m|ll|re|ve)$/;
export const NEGATED = /^[a-z]+n't$/;

/** True for `e-mail`, `T-shirt`. */
export function isSpelledApart(parts: readonly string[]): boolean {
  return (
    parts.length === 2 &&
    parts.some((part) => /^[a-z]$/.test(part)) &&
    /^[a-z]+$/.test(parts.join(""))
  );
}
