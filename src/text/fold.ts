// Characters in the form for comparison.
//
//   TXF1. Equal texts in different spellings of Unicode (composed, full-width, presentation forms, case) fold to one
//        form. Accents of Latin, Greek and Cyrillic letters, points of Hebrew and short vowels of Arabic are removed.
//        Vowel signs of other scripts and the letters of Hangul stay.
//   TXF2. Folding uses normalisation and case mapping, which Unicode keeps stable for assigned characters, and the tables
//        of this file. No locale, no segmenter, so stored texts never change with an update of the runtime.

/** Letters without a decomposition, and letters whose lower case depends on context or has two forms. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: "ss",
  ς: "σ",
  և: "եւ",
  ı: "i",
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  æ: "ae",
  œ: "oe",
  ħ: "h",
  ŧ: "t",
  "’": "'",
  ʼ: "'",
  "‐": "-",
  "‑": "-",
  أ: "ا",
  إ: "ا",
  آ: "ا",
  ٱ: "ا",
  ؤ: "و",
  ئ: "ي",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ة: "ه",
  "٫": ".",
  "٬": ",",
  "\u0901": "\u0902",
};
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join("")}]`, "gu");

/** Letters of Latin, Greek and Cyrillic that may have accents. */
const ACCENTED = /[\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff]+/g;
const ACCENTS = /[\u0300-\u036f]/g;

/** Points of Hebrew, short vowels and the stretching line of Arabic, and the dot below of Indic letters. */
const POINTS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u093c\u09bc\u0a3c\u0b3c]/g;

/** Characters without a width. The joiner of Arabic letters separates parts of a word. */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u180e\u200c-\u200f\u202a-\u202e\u2060-\u206f]|[\ufe00-\ufe0f]|\ufeff/g;
const SEPARATING = /\u200b|(?<=[\u0600-\u06ff])\u200c/g;

/** A space inside a number. */
const DIGIT_SPACE = /(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))/g;

/** Zeros of the digits that NFKC keeps. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
  0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810,
];
const DIGITS: ReadonlyMap<string, string> = new Map(
  ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit) => [String.fromCharCode(zero + digit), `${digit}`]),
  ),
);
const OTHER_DIGITS = new RegExp(
  `[${ZEROS.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join("")}]`,
  "g",
);

// oxlint-disable-next-line no-control-regex -- the range of ASCII
const ASCII = /^[\0-\x7f]*$/;
/** Texts of Latin, Greek and Cyrillic letters, signs and symbols. */
// oxlint-disable-next-line no-control-regex -- ranges from the first character on
const EUROPEAN = /^[\0-\u052f\u1e00-\u2bff]*$/;
/** Scripts with points or digits of their own. */
const POINTED = /[\u0590-\u1cff]/;

/** Returns a text in the form for search: see TXF1. Lines and spaces stay. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const cased = foldCase(text.replaceAll(DIGIT_SPACE, ","));
  const folded = (
    EUROPEAN.test(cased)
      ? cased.normalize("NFD")
      : cased.replaceAll(ACCENTED, (letters) => letters.normalize("NFD"))
  )
    .replaceAll(ACCENTS, "")
    .replaceAll(SPELLED, (letter) => SPELLINGS[letter] ?? letter);
  if (!POINTED.test(folded)) return folded;
  return folded
    .replaceAll(POINTS, "")
    .replaceAll(OTHER_DIGITS, (digit) => DIGITS.get(digit) ?? digit);
}

/**
 * Returns a name in the form for comparison: NFKC without case, invisible characters, and spaces at its ends; accents
 * stay. Equal forms are one name.
 */
export function nameForm(name: string): string {
  const form = ASCII.test(name)
    ? name.toLowerCase()
    : foldCase(name)
        .normalize("NFD")
        .replaceAll(/(?<=i)\u0307/g, "") // of İ
        .normalize("NFC")
        .replaceAll("ß", "ss")
        .replaceAll("ς", "σ");
  return form.trim().replaceAll(/\s+/g, " ");
}

/** Returns the words of a name in its form. */
export function nameWords(name: string): readonly string[] {
  return nameForm(name).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Returns the name equal to another one: exactly, else in its form. */
export function sameNameIn(name: string, names: readonly string[]): string | undefined {
  const form = nameForm(name);
  return names.find((each) => each === name) ?? names.find((each) => nameForm(each) === form);
}

/** True if two names differ in case, width or composition at most. */
export function isSameName(one: string, other: string): boolean {
  return one === other || nameForm(one) === nameForm(other);
}

/** Signs of trade marks, which NFKC makes letters. */
const TRADE_MARKS = /[™℠]/g;

function foldCase(text: string): string {
  return text
    .replaceAll(TRADE_MARKS, " ")
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(SEPARATING, " ")
    .replaceAll(INVISIBLE, "");
}
