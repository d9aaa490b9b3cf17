// Names inside of texts.
//
//   TXN1. A name is mentioned where it stands as separate words. In scripts without spaces the letters beside it do not
//         matter, and a Korean name may have a particle.
//   TXN2. Names and texts are compared in the form of names: without case, width and composition.
import { nameForm } from "./fold.ts";
import { PARTICLES } from "./stems.ts";

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}々〆ー`;
/** A letter, mark or digit that continues a word of a script with spaces. */
const WORD = String.raw`[[\p{L}\p{M}\p{N}_]--[${UNSPACED}\p{sc=Hangul}]]`;
const HANGUL = String.raw`\p{sc=Hangul}`;
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}]$`, "u");
const STARTS_HANGUL = /^\p{sc=Hangul}/u;
const ENDS_HANGUL = /\p{sc=Hangul}$/u;

/** Patterns of recent names. */
const patterns = new Map<string, RegExp>();
const MAX_PATTERNS = 1000;

/** True for a name whose first or last letter is of a script without spaces. */
export function isUnspaced(name: string): boolean {
  return STARTS_UNSPACED.test(name) || ENDS_UNSPACED.test(name);
}

/** Counts the places of a text with the name (TXN1). With `exact`, case and width count, too. */
export function countMentions(text: string, name: string, { exact = false } = {}): number {
  const [within, wanted] = exact
    ? [text.normalize("NFC"), name.normalize("NFC")]
    : [nameForm(text), nameForm(name)];
  return wanted === "" ? 0 : Array.from(within.matchAll(patternOf(wanted))).length;
}

/**
 * Returns the names mentioned in a text (TXN1, TXN2), in their order, and the rest of the text. A name inside a longer
 * one that is mentioned does not count.
 */
export function mentionsIn(
  text: string,
  names: readonly string[],
): { readonly names: readonly string[]; readonly rest: string } {
  let rest = nameForm(text);
  const mentioned = new Set<string>();
  for (const name of names.toSorted((a, b) => b.length - a.length)) {
    const wanted = nameForm(name);
    if (wanted === "") continue;
    const without = rest.replaceAll(patternOf(wanted), " ");
    if (without !== rest) mentioned.add(name);
    rest = without;
  }
  return { names: names.filter((name) => mentioned.has(name)), rest };
}

function patternOf(name: string): RegExp {
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    pattern = new RegExp(`${startOf(name)}${escaped(name)}${endOf(name)}`, "gv");
    patterns.set(name, pattern);
  }
  return pattern;
}

function startOf(name: string): string {
  if (STARTS_UNSPACED.test(name)) return "";
  return STARTS_HANGUL.test(name) ? `(?<!${HANGUL})` : `(?<!${WORD})`;
}

function endOf(name: string): string {
  if (ENDS_UNSPACED.test(name)) return "";
  return ENDS_HANGUL.test(name) ? `(?=(?:${PARTICLES.join("|")})?(?!${HANGUL}))` : `(?!${WORD})`;
}

function escaped(text: string): string {
  return text.replaceAll(
    /[\\^$.*+?()[\]{}|/&\-!#%,:;<=>@`~]/g,
    (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
