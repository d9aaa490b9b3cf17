// Characters of the fonts Symbol and Wingdings, whose codes have other letters' numbers.

/** Characters of Symbol from 0x22 on; a space has no counterpart. */
const SYMBOL = new Map<number, string>();
const addRow = (first: number, letters: string): void => {
  for (const [index, letter] of Array.from(letters).entries())
    if (letter !== " ") SYMBOL.set(first + index, letter);
};
addRow(0x21, "!∀#∃%&∋()∗+,−./0123456789:;<=>?");
addRow(0x40, "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_");
addRow(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼");
addRow(0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓");
addRow(0xb0, "°±″≥×∝∂•÷≠≡≈… ");
addRow(0xc0, "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉");
addRow(0xd0, "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓");
addRow(0xe0, "◊〈®©™∑");
addRow(0xf1, "〉∫");

/** Common characters of Wingdings: signs of lists, ticks, arrows, hands, numbers. */
const WINGDINGS = new Map<number, string>(
  Object.entries({
    "\u0021": "✏",
    "\u0022": "✂",
    "\u0028": "☎",
    "\u0029": "✆",
    "\u002a": "✉",
    "\u003e": "✇",
    "\u0045": "☜",
    "\u0046": "☞",
    "\u0047": "☝",
    "\u0048": "☟",
    "\u004a": "☺",
    "\u004b": "😐",
    "\u004c": "☹",
    "\u0051": "✈",
    "\u0052": "☼",
    "\u006c": "●",
    "\u006d": "❍",
    "\u006e": "■",
    "\u006f": "□",
    "\u0070": "□",
    "\u0071": "❑",
    "\u0072": "❒",
    "\u0073": "⬧",
    "\u0074": "⧫",
    "\u0075": "◆",
    "\u0076": "❖",
    "\u0077": "⬥",
    "\u0078": "☒",
    "\u007c": "❀",
    "\u009f": "•",
    "\u00a7": "▪",
    "\u00a8": "◻",
    "\u00aa": "✦",
    "\u00ab": "★",
    "\u00b7": "🕐",
    "\u00d8": "➢",
    "\u00df": "←",
    "\u00e0": "→",
    "\u00e1": "↑",
    "\u00e2": "↓",
    "\u00e8": "➔",
    "\u00ef": "⇦",
    "\u00f0": "⇨",
    "\u00f1": "⇧",
    "\u00f2": "⇩",
    "\u00fb": "✗",
    "\u00fc": "✓",
    "\u00fd": "☒",
    "\u00fe": "☑",
  }).map(([code, letter]) => [code.charCodeAt(0), letter]),
);
for (let digit = 0; digit <= 10; digit++) {
  WINGDINGS.set(0x80 + digit, digit === 0 ? "⓪" : String.fromCodePoint(0x2460 + digit - 1));
  WINGDINGS.set(0x8b + digit, digit === 0 ? "⓿" : String.fromCodePoint(0x2776 + digit - 1));
}

const FONTS: Readonly<Record<string, ReadonlyMap<number, string>>> = {
  symbol: SYMBOL,
  wingdings: WINGDINGS,
};

/** True for a font whose characters have other meanings than their numbers. */
export function isSymbolFont(font: string): boolean {
  return /^(?:symbol|wingdings|webdings|marlett)/i.test(font.trim());
}

/** Returns the character behind a code of a symbol font, from 0 or from 0xF000 on; undefined for an unknown one. */
export function symbolOf(font: string, code: number): string | undefined {
  const low = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  return FONTS[font.trim().toLowerCase()]?.get(low);
}
