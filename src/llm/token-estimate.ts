// Tokens of a text by its script, for limits needed before a model counts them.
//
// Figures are means of five tokenizers (o200k, Llama 3, Qwen 3, Gemma 3, DeepSeek V3) over the Universal Declaration of
// Human Rights in 29 languages, and over code, JSON, Markdown, HTML and tables of numbers; measured in November 2026.
// Errors are in docs/design/models.md.

/** Tokens of one UTF-16 unit of the scripts from this code on, in order. */
const BY_CODE: readonly (readonly [from: number, tokens: number])[] = [
  [0x80, 0.4],
  [0xc0, 1.5], // Latin beyond ASCII, in addition to the count of its words
  [0x250, 1],
  [0x300, 0.6],
  [0x370, 0.57], // Greek
  [0x400, 0.38], // Cyrillic
  [0x530, 0.94], // Armenian
  [0x590, 0.66], // Hebrew
  [0x600, 0.5], // Arabic
  [0x700, 1],
  [0x900, 0.62], // Devanagari
  [0x980, 0.8], // Bengali
  [0xa00, 1.1], // Gurmukhi, Gujarati, Odia
  [0xb80, 0.8], // Tamil
  [0xc00, 1.1], // Telugu, Kannada, Malayalam, Sinhala
  [0xe00, 0.45], // Thai
  [0xe80, 1.6], // Lao, Tibetan
  [0x1000, 1.3], // Burmese
  [0x10a0, 0.96], // Georgian
  [0x1100, 0.8],
  [0x1200, 1.9], // Ethiopic and others
  [0x1780, 1.1], // Khmer
  [0x1800, 1.9],
  [0x1e00, 1.5], // Vietnamese
  [0x1f00, 1],
  [0x2000, 0.4], // punctuation
  [0x2070, 0.8], // signs
  [0x2e80, 1],
  [0x3000, 0.68], // kana
  [0x3100, 1],
  [0x3400, 0.77], // Chinese characters
  [0xa000, 1.9],
  [0xac00, 0.82], // Hangul
  [0xd800, 1.1], // halves of emoji and of rare characters
  [0xe000, 1.5],
  [0xf900, 0.8],
  [0xfb00, 0.7],
  [0xff00, 1.4], // full-width letters and signs
  [0xff40, 1.6],
];

const LETTER = 0.2;
/** A word counts more than its letters. */
const WORD = 0.3;
/** Further letters of a long word, in addition; a longer run is no word. */
const LONG = 0.06;
const LONG_FROM = 7;
const LONG_TO = 24;
/** A further change of case after one or two letters, as in Base64, in addition. */
const CASE_CHANGE = 1.1;
const DIGIT = 0.92;
const SIGN = 0.66;
const SPACE = 0.17;

/** Tokens of a UTF-16 unit, by blocks of 64. */
const BLOCKS = new Float32Array(0x1_0000 >> 6);
for (const [from, tokens] of BY_CODE) BLOCKS.fill(tokens, from >> 6);

/** About as many tokens as models count: a single space belongs to the word after it. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  /** Letters of the word so far. */
  let length = 0;
  /** Letters of the same case so far, and changes of case in the letters and digits so far. */
  let [sameCase, changes] = [0, 0];
  let isSpace = false;
  let isUpper = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const lower = code | 32;
    if (lower >= 97 && lower <= 122 && code < 128) {
      tokens += LETTER;
      if (length === 0) tokens += WORD;
      else if (length >= LONG_FROM && length < LONG_TO) tokens += LONG;
      if (isUpper !== code < 97 && sameCase > 0) {
        if (changes > 1 && sameCase <= 2) tokens += CASE_CHANGE;
        changes++;
        sameCase = 0;
      }
      isUpper = code < 97;
      sameCase++;
      length++;
      isSpace = false;
      continue;
    }
    const isDigit = code >= 48 && code <= 57;
    if (code >= 128) tokens += BLOCKS[code >> 6] ?? 1;
    else if (isDigit) tokens += DIGIT;
    else if (code > 32) tokens += SIGN;
    else if (code !== 32 || isSpace) tokens += SPACE;
    isSpace = code <= 32;
    if (code >= 0xc0 && code < 0x250) continue;
    length = 0;
    if (!isDigit) sameCase = changes = 0;
  }
  return Math.ceil(tokens);
}

/** Weight of a new count in the scale. */
const WEIGHT = 0.5;

/** Estimates corrected by one model's counts of earlier requests. */
export class TokenScale {
  #scale = 1;

  /** Returns the model's expected count for an estimate. */
  of(estimated: number): number {
    return Math.ceil(estimated * this.#scale);
  }

  /** Corrects the scale by the model's count of a request. An implausible count is ignored. */
  learn(estimated: number, counted: number): void {
    const scale = counted / estimated;
    if (estimated >= LEAST_LEARNED && scale >= 1 / MOST_OFF && scale <= MOST_OFF)
      this.#scale += WEIGHT * (scale - this.#scale);
  }
}

/** Templates of a chat weigh too much in shorter requests. */
const LEAST_LEARNED = 100;
const MOST_OFF = 8;
