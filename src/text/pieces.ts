// Pieces of folded text: words, numbers, and runs of scripts that do not separate words by spaces.

/** Kinds of pieces. `latin` is any script with spaces between words, without Hangul. */
export type PieceKind = "latin" | "number" | "han" | "hiragana" | "katakana" | "hangul" | "thai";

export type Piece = { readonly kind: PieceKind; readonly text: string };

/** Words of letters, marks and digits, connected by single signs: `don't`, `sku-1400`, `1,500.25`. */
const TOKEN = /[\p{L}\p{M}\p{N}]+(?:[-_.,'][\p{L}\p{M}\p{N}]+)*/gu;
const ASCII_TOKEN = /[a-z\d]+(?:[-_.,'][a-z\d]+)*/g;
/** Texts whose letters and digits are all ASCII; of other characters they have signs alone. */
// oxlint-disable-next-line no-control-regex -- the range of ASCII
const ASCII_LETTERS =
  /^[\0-\x7f\u2010-\u206f\u20a0-\u20cf\u2190-\u245f\u2500-\u2775\u2794-\u2bff]*$/;

/** Returns the tokens of a folded text in order. */
export function tokensOf(folded: string): readonly string[] {
  return folded.match(ASCII_LETTERS.test(folded) ? ASCII_TOKEN : TOKEN) ?? [];
}

/** True for a token that is one word of a script with spaces, as most are; Korean words have parts of their own. */
export function isWord(token: string): boolean {
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at);
    if (code < 97 || (code > 122 && code < 0xc0) || code > 0xdff) return false;
  }
  return true;
}

const KINDS: readonly (readonly [PieceKind, string])[] = [
  ["number", String.raw`\d+(?:[.,']\d+)+|\d+`],
  ["han", String.raw`[\p{sc=Han}々〆]+`],
  ["hiragana", String.raw`[\p{sc=Hiragana}][\p{sc=Hiragana}ー]*`],
  ["katakana", String.raw`[\p{sc=Katakana}ー]+`],
  ["hangul", String.raw`\p{sc=Hangul}+`],
  ["thai", String.raw`[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]+`],
  [
    "latin",
    String.raw`(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}々〆ー\d])[\p{L}\p{M}\p{N}])+`,
  ],
];
const PIECE = new RegExp(KINDS.map(([, pattern]) => `(${pattern})`).join("|"), "gu");

/** Returns the pieces of a token in order. */
export function piecesOf(token: string): readonly Piece[] {
  return Array.from(token.matchAll(PIECE), (match) => {
    const place = match.findIndex((group, index) => index > 0 && group !== undefined);
    return { kind: KINDS[place - 1]?.[0] ?? "latin", text: match[0] };
  });
}
