// Encoding of texts from before Unicode, guessed by their bytes.
//
//   ENC1. The same bytes have the same encoding everywhere: the guess uses no locale and no chance.
//   ENC2. Bytes that are plausible in no encoding are no text.

/** Bytes that are looked at. */
const SAMPLE_BYTES = 64 * 1024;
/** Minimum score of a text, at most 1: the plausible share of its characters beyond ASCII, less the implausible one. */
const MIN_SCORE = 0.3;

type Candidate = {
  readonly label: string;
  /** Counts a character as plausible, with 1, or implausible, with -1. `before` and `after` are its neighbours. */
  readonly weigh: (character: string, before: string, after: string) => number;
};

const ASCII_LETTER = /[A-Za-z]/;
const WESTERN_SIGNS = "‘’‚“”„…–—•€£©®°§ªº«»¿¡\u00a0´·×±²³½¼¾µ¢¥™‰";
/** Letters of central Europe whose bytes are signs, or rare letters, in the west. */
const CENTRAL_ONLY = /[ąłśźżšťžŠŽŚŹĽľĄŁŻ]/;
const CYRILLIC = /[А-яЁёІіЇїЄєҐґЎў]/;
const HEBREW = /[\u05d0-\u05ea]/;
/** Letters that stand at the end of a word alone. */
const FINAL_HEBREW = /[ךםןףץ]/;
const ARABIC = /[\u0600-\u06ff]/;
const RIGHT_SIGN = /[\u05b0-\u05c7\u200e\u200f\u00a0«»“”„’–—…₪]/;
const KANA = /[\u3041-\u30ff]/;
const HANGUL = /[\uac00-\ud7a3]/;
const WIDE_SIGN = /[\u3000-\u3020\uff01-\uff5e\u2010-\u2026\u25a0-\u25ff\u00b7]/;
const HAN = /[\u4e00-\u9fff]/;
const HALF_KANA = /[\uff61-\uff9f]/;
/** Frequent characters of Chinese; the list is short, so it decides between encodings only. */
const FREQUENT_HAN =
  /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔价货单姓址编号码客户库]/;

const CANDIDATES: readonly Candidate[] = [
  {
    label: "shift_jis",
    weigh: (character) =>
      KANA.test(character) || WIDE_SIGN.test(character)
        ? 1
        : HAN.test(character)
          ? 0.6
          : HALF_KANA.test(character)
            ? 0.1
            : -1,
  },
  {
    label: "euc-jp",
    weigh: (character) =>
      KANA.test(character) || WIDE_SIGN.test(character) ? 1 : HAN.test(character) ? 0.4 : -1,
  },
  {
    label: "euc-kr",
    weigh: (character) =>
      HANGUL.test(character)
        ? 1
        : WIDE_SIGN.test(character)
          ? 0.8
          : HAN.test(character)
            ? -0.2
            : -1,
  },
  {
    label: "gb18030",
    weigh: (character) =>
      FREQUENT_HAN.test(character)
        ? 1.5
        : HAN.test(character)
          ? 0.6
          : WIDE_SIGN.test(character)
            ? 0.8
            : -1,
  },
  {
    label: "big5",
    weigh: (character) => (HAN.test(character) ? 0.5 : WIDE_SIGN.test(character) ? 0.7 : -1),
  },
  { label: "windows-1251", weigh: (character, before, after) => cased(character, before, after) },
  {
    label: "windows-1255",
    weigh: (character, before, after) =>
      FINAL_HEBREW.test(character) && HEBREW.test(after)
        ? -1
        : fromRight(HEBREW, character, [before, after]),
  },
  {
    label: "windows-1256",
    weigh: (character, before, after) => fromRight(ARABIC, character, [before, after]),
  },
  { label: "koi8-r", weigh: (character, before, after) => cased(character, before, after) - 0.05 },
  {
    label: "windows-1250",
    weigh: (character, before, after) => {
      if (CENTRAL_ONLY.test(character)) return isBesideLetter(before, after) ? 1.2 : 0;
      return latin(character, before, after) - 0.1;
    },
  },
  { label: "windows-1252", weigh: (character, before, after) => latin(character, before, after) },
];

/** Words from the right are of letters of one script. */
function fromRight(script: RegExp, character: string, beside: readonly [string, string]): number {
  if (!script.test(character)) return RIGHT_SIGN.test(character) ? 0.2 : -1;
  if (beside.some((each) => ASCII_LETTER.test(each))) return -1;
  return beside.some((each) => script.test(each)) ? 1.05 : -0.5;
}

function isBesideLetter(before: string, after: string): boolean {
  return ASCII_LETTER.test(before) || ASCII_LETTER.test(after);
}

/** Letters with accents stand in words of plain letters, and signs do not. */
function latin(character: string, before: string, after: string): number {
  if (WESTERN_SIGNS.includes(character))
    return ASCII_LETTER.test(before) &&
      ASCII_LETTER.test(after) &&
      !"’´\u00a0–—".includes(character)
      ? -1
      : 0.9;
  if (!/\p{L}/u.test(character)) return -1;
  const isUpper = character !== character.toLowerCase();
  if (isUpper && /[a-z]/.test(before)) return -1;
  return isBesideLetter(before, after) ? 1 : -0.5;
}

/** Cyrillic words are of Cyrillic letters, and no capital follows a small letter. */
function cased(character: string, before: string, after: string): number {
  if (!CYRILLIC.test(character)) return "«»–—№„“”…\u00a0".includes(character) ? 0.5 : -1;
  if (ASCII_LETTER.test(before) || ASCII_LETTER.test(after)) return -1;
  const isUpper = character !== character.toLowerCase();
  const isBeforeLower = CYRILLIC.test(before) && before !== before.toUpperCase();
  if (isUpper && isBeforeLower) return -1;
  return CYRILLIC.test(before) || CYRILLIC.test(after) ? 1 : 0.2;
}

/** Returns the label of the encoding of a text that is not UTF-8; undefined for bytes that are no text. */
export function detectEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const utf16 = utf16Of(sample);
  if (utf16 !== undefined)
    // oxlint-disable-next-line no-control-regex -- characters that no text has
    return /[\0-\u0008\u000e-\u001a]/.test(decodedAs(sample, utf16) ?? "\0") ? undefined : utf16;
  if (sample.some((byte) => byte < 9 || (byte > 13 && byte < 27) || byte === 0x7f))
    return undefined;
  let best: { readonly label: string; readonly score: number } | undefined;
  for (const candidate of CANDIDATES) {
    const score = scoreOf(candidate, sample);
    if (score > (best?.score ?? MIN_SCORE)) best = { label: candidate.label, score };
  }
  return best?.label;
}

/** UTF-16 without a byte order mark has a zero in every second byte of plain letters. */
function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  let [even, odd] = [0, 0];
  for (let at = 0; at < bytes.length; at++)
    if (bytes[at] === 0) {
      if (at % 2 === 0) even++;
      else odd++;
    }
  const half = bytes.length / 2;
  if (odd > half * 0.3 && even < half * 0.02) return "utf-16le";
  return even > half * 0.3 && odd < half * 0.02 ? "utf-16be" : undefined;
}

function scoreOf({ label, weigh }: Candidate, bytes: Uint8Array): number {
  const text = decodedAs(bytes, label);
  if (text === undefined) return -1;
  const characters = Array.from(text);
  let [sum, count] = [0, 0];
  for (const [index, character] of characters.entries()) {
    if (character <= "\u007f") continue;
    count++;
    sum +=
      character === "\ufffd"
        ? -4
        : weigh(character, characters[index - 1] ?? "", characters[index + 1] ?? "");
  }
  return count === 0 ? -1 : sum / count;
}

function decodedAs(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label).decode(bytes, { stream: true });
  } catch {
    // A runtime without this encoding.
    return undefined;
  }
}
