// Order of a line with right-to-left text: from the order on the page to the order of reading.
//
// A page has positions, and not the order in which a line was written. The Unicode bidirectional algorithm (UAX #9)
// is applied to the words as they stand from left to right; applied to the result of itself, it restores most lines.
// Lines with several equal readings take the simplest one.

/** A piece of a line. */
export type PlacedText = {
  /** In the order of reading within the piece. */
  readonly text: string;
  readonly x: number;
  readonly end: number;
  /** Size of the font. */
  readonly size: number;
  /** True for text that the document itself names as the meaning of the glyphs. */
  readonly isActual: boolean;
};

type Token = {
  readonly text: string;
  /** Right-to-left word, left-to-right word, number, or neutral. */
  readonly kind: "R" | "L" | "number" | "neutral";
  readonly isActual: boolean;
};

const RIGHT_TO_LEFT =
  "\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}";
const HAS_RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const STRONG_RIGHT = new RegExp(`(?![\\p{N}\\p{P}])[${RIGHT_TO_LEFT}]`, "gu");
const STRONG_LEFT = new RegExp(`(?![${RIGHT_TO_LEFT}])\\p{L}`, "gu");
/** Words, numbers with their separators and signs of currency, and single other characters. */
const TOKENS = new RegExp(
  [
    `(?<right>(?:(?![\\p{N}\\p{P}])[${RIGHT_TO_LEFT}]\\p{M}*)+)`,
    "(?<number>\\p{Sc}?\\p{Nd}+(?:[.,:/٫٬-]\\p{Nd}+)*[%٪°\\p{Sc}]?)",
    "(?<left>(?:\\p{L}\\p{M}*)+)",
    "\\s+|.",
  ].join("|"),
  "gsu",
);

/** True for a text with right-to-left letters. */
export function hasRightToLeft(text: string): boolean {
  return HAS_RIGHT_TO_LEFT.test(text);
}

/** Returns the number of right-to-left letters, and of others. */
export function directionsOf(text: string): { readonly right: number; readonly left: number } {
  return { right: countOf(text, STRONG_RIGHT), left: countOf(text, STRONG_LEFT) };
}

/** Returns the text of pieces of one line in the order of reading. `isRight`: the line reads from the right. */
export function readingOrder(pieces: readonly PlacedText[], isRight: boolean): string {
  const placed = pieces.toSorted((one, other) => one.x - other.x || one.end - other.end);
  const tokens: Token[] = [];
  let before: PlacedText | undefined;
  for (const piece of placed) {
    if (before !== undefined && piece.x - before.end > MIN_GAP * piece.size)
      tokens.push({ text: " ", kind: "neutral", isActual: true });
    tokens.push(...visualTokens(piece));
    before = piece;
  }
  const levels = levelsOf(tokens, isRight);
  const ordered = isRight ? fromRight(tokens, levels) : fromLeft(tokens, levels);
  return joined(ordered);
}

/** Minimum gap between words, in sizes of the font. */
const MIN_GAP = 0.15;

/** Returns the tokens of a piece, from left to right. */
function visualTokens({ text, isActual }: PlacedText): Token[] {
  const tokens = Array.from(
    marksBehind(text).matchAll(TOKENS),
    ({ 0: word, groups = {} }): Token => {
      const { right, number, left } = groups;
      const kind =
        right !== undefined
          ? "R"
          : number !== undefined
            ? "number"
            : left === undefined
              ? "neutral"
              : "L";
      return { text: word, kind, isActual };
    },
  );
  const strong = tokens.filter(({ kind }) => kind === "R" || kind === "L");
  if (!strong.some(({ kind }) => kind === "R")) return tokens;
  const isRight = strong.filter(({ kind }) => kind === "R").length * 2 >= strong.length;
  const levels = levelsOf(tokens, isRight);
  return (isRight ? fromRight(tokens, levels) : fromLeft(tokens, levels)).map(({ token }) => token);
}

/** Moves marks behind their letters, in a word that was turned around with its marks. */
function marksBehind(text: string): string {
  return /^\p{Mn}/u.test(text) ? text.replaceAll(/(\p{Mn}+)(\p{L})/gu, "$2$1") : text;
}

/** Returns 1 for tokens that read from the right, otherwise 0 or 2 (a left-to-right part within). */
function levelsOf(tokens: readonly Token[], isRight: boolean): number[] {
  const left = isRight ? 2 : 0;
  const levels: number[] = [];
  let strong: "R" | "L" | undefined;
  for (const { kind } of tokens) {
    if (kind === "R" || kind === "L") strong = kind;
    levels.push(kind === "R" ? 1 : kind === "neutral" ? -1 : left);
  }
  // Neutral tokens between two of one direction have it. Numbers are left-to-right for them only after such a word.
  strong = undefined;
  let before: number | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const { kind } = tokens[index] ?? {};
    if (kind === "R" || kind === "L") strong = kind;
    if (kind !== "neutral") {
      before = kind === "number" && isRight && strong !== "L" ? 1 : (levels[index] ?? 0);
      continue;
    }
    let end = index;
    while (tokens[end]?.kind === "neutral") end++;
    const next = tokens[end]?.kind;
    const behind =
      next === undefined
        ? undefined
        : next === "number" && strong !== "L" && isRight
          ? 1
          : levels[end];
    const level = before !== undefined && before === behind ? before : isRight ? 1 : 0;
    for (; index < end; index++) levels[index] = level;
    index--;
  }
  return levels;
}

type Ordered = { readonly token: Token; readonly level: number };

/** Reads from right to left, with left-to-right parts in their own order. */
function fromRight(tokens: readonly Token[], levels: readonly number[]): Ordered[] {
  return runsOf(tokens, levels)
    .toReversed()
    .flatMap((run) => (run[0]?.level === 2 ? run : run.toReversed()));
}

/** Reads from left to right, with right-to-left parts in their own order. */
function fromLeft(tokens: readonly Token[], levels: readonly number[]): Ordered[] {
  return runsOf(tokens, levels).flatMap((run) => (run[0]?.level === 1 ? run.toReversed() : run));
}

/** Returns the consecutive tokens of one level. */
function runsOf(tokens: readonly Token[], levels: readonly number[]): Ordered[][] {
  const runs: Ordered[][] = [];
  for (const [index, token] of tokens.entries()) {
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    if (last !== undefined && last[0]?.level === level) last.push({ token, level });
    else runs.push([{ token, level }]);
  }
  return runs;
}

const BRACKETS = "()[]{}<>«»";
const MIRRORED = new Map(
  Array.from(BRACKETS, (each, index) => [each, BRACKETS[index ^ 1] ?? each] as const),
);

/** Joins tokens. Brackets of right-to-left parts are mirrored if more of them fit then: some fonts name their shape. */
function joined(ordered: readonly Ordered[]): string {
  const asNamed = ordered.map(({ token }) => token.text);
  if (!asNamed.some((text) => MIRRORED.has(text))) return asNamed.join("");
  const mirrored = ordered.map(({ token: { text, isActual }, level }) =>
    level === 1 && !isActual ? (MIRRORED.get(text) ?? text) : text,
  );
  return (faultsOf(mirrored) < faultsOf(asNamed) ? mirrored : asNamed).join("");
}

/** Returns the number of brackets without a partner. */
function faultsOf(texts: readonly string[]): number {
  let open = 0;
  let faults = 0;
  for (const text of texts)
    if (text.length === 1 && "([{«".includes(text)) open++;
    else if (text.length === 1 && ")]}»".includes(text)) {
      if (open > 0) open--;
      else faults++;
    }
  return faults + open;
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}
