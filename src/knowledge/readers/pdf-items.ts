// Items of a page's text, as the library for PDF yields them, with the texts of marked content.
import { hasRightToLeft } from "./pdf-order.ts";
import type { ContentMark } from "./pdf-content.ts";

/** An item as the library yields it: a text, or the begin or end of marked content. */
export type RawItem = {
  readonly type?: string;
  readonly tag?: string | null;
  readonly id?: string | null;
  readonly str?: string;
  readonly width?: number;
  readonly height?: number;
  readonly transform?: readonly number[];
  readonly hasEOL?: boolean;
};

/** A text on a page. */
export type PageItem = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly end: number;
  /** Size of the font. */
  readonly size: number;
  /** False for text that does not run from left to right. */
  readonly isFlat: boolean;
  readonly endsLine: boolean;
  /** True for text from `ActualText`. */
  readonly isActual: boolean;
};

/** True if the page may have marked content with a text of its own. */
export function mayHaveActualText(items: readonly RawItem[]): boolean {
  return items.some(({ type, tag, id }) => type !== undefined && tag === "Span" && id === null);
}

/** Returns the texts of a page. Marks of another number or with other tags than the items' are not used. */
export function pageItems(
  items: readonly RawItem[],
  marks: readonly ContentMark[] | undefined,
): readonly PageItem[] {
  const begins = items.filter(({ type }) => type?.startsWith("begin") === true);
  const fits =
    marks?.length === begins.length && begins.every(({ tag }, index) => marks[index]?.tag === tag);
  return withoutFalseSpaces(
    fits ? withMarks(items, marks) : items.flatMap((item) => itemOf(item) ?? []),
  );
}

function withMarks(items: readonly RawItem[], marks: readonly ContentMark[]): PageItem[] {
  const texts: PageItem[] = [];
  let mark = 0;
  let depth = 0;
  let actual: { readonly text: string; readonly depth: number; readonly first: number } | undefined;
  for (const item of items) {
    if (item.type?.startsWith("begin") === true) {
      depth++;
      const text = marks[mark++]?.actual;
      if (text !== undefined && actual === undefined) actual = { text, depth, first: texts.length };
    } else if (item.type === "endMarkedContent") {
      if (actual?.depth === depth) {
        replace(texts, actual);
        actual = undefined;
      }
      depth--;
    } else texts.push(...(itemOf(item) ?? []));
  }
  return texts;
}

/** Replaces the items of marked content by its text. */
function replace(
  texts: PageItem[],
  { text, first: at }: { readonly text: string; readonly first: number },
): void {
  const covered = texts.splice(at);
  const first = covered.findIndex((each) => each.text.trim() !== "");
  const shown = covered.filter((each) => each.text.trim() !== "");
  const start = shown[0] ?? covered[0];
  if (start === undefined) return;
  // The library puts the space before marked content into it, and the end of the line before it.
  texts.push(...covered.slice(0, first === -1 ? covered.length : first));
  const space = /^\s/.test(start.text) && !/^\s/.test(text) ? " " : "";
  texts.push({
    ...start,
    text: space + text,
    x: Math.min(...shown.map(({ x }) => x), start.x),
    end: Math.max(...shown.map(({ end }) => end), start.end),
    endsLine: shown.at(-1)?.endsLine ?? false,
    isActual: true,
  });
}

function itemOf({
  type,
  str = "",
  width = 0,
  height = 0,
  transform = [],
  hasEOL = false,
}: RawItem): [PageItem] | undefined {
  if (type !== undefined) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
  const isFlat = a > 0 && Math.abs(b) < 0.02 * a && Math.abs(c) < Math.abs(d);
  const size = height > 0 ? height : Math.hypot(c, d);
  return [{ text: str, x, y, end: x + width, size, isFlat, endsLine: hasEOL, isActual: false }];
}

const INDIC = "[\\u0900-\\u0dff\\u1000-\\u109f\\u1780-\\u17ff]";
const VIRAMA = "[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]";
/** Last syllable of a text: consonants without a vowel, a letter, and marks. */
const SYLLABLE = new RegExp(
  `(?:(?!\\p{M})${INDIC}\\p{M}*${VIRAMA}){0,3}(?!\\p{M})${INDIC}\\p{M}*$`,
  "u",
);
const HAS_MARK = /\p{Mn}/u;
const IS_HALF = new RegExp(`${VIRAMA}$`);
/** Difference of a gap with a space and one without, in sizes of the font. */
const SPACE = 0.15;
/** Smallest and largest gap of the width of a letter with a mark. */
const MIN_ADVANCE = 0.4;
const MAX_ADVANCE = 0.9;

/**
 * Removes spaces that are the width of a letter. The library counts glyphs of Indic letters with a mark as marks, which
 * have no width, so a space seems to follow. A space is real if it is wider than elsewhere after the same syllable.
 */
function withoutFalseSpaces(items: readonly PageItem[]): readonly PageItem[] {
  const gaps = new Map<number, { readonly syllable: string; readonly gap: number }>();
  const least = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    const next = items[index + 1];
    if (item.text !== " " || before === undefined || next === undefined) continue;
    const [syllable = ""] = SYLLABLE.exec(before.text.slice(-16)) ?? [];
    const gap = (next.x - before.end) / item.size;
    if (!HAS_MARK.test(syllable) || gap < (IS_HALF.test(syllable) ? 0.1 : MIN_ADVANCE)) continue;
    gaps.set(index, { syllable, gap: /^[\p{P}]/u.test(next.text) ? 0 : gap });
    if (gap < MAX_ADVANCE) least.set(syllable, Math.min(gap, least.get(syllable) ?? Infinity));
  }
  const isFalse = (index: number): boolean => {
    const found = gaps.get(index);
    if (found === undefined) return false;
    const known = least.get(found.syllable);
    return found.gap < (known === undefined ? MAX_ADVANCE : known + SPACE);
  };
  if (gaps.size === 0) return items;
  return items.flatMap((item, index) => {
    if (isFalse(index)) return [];
    return isFalse(index + 1) ? [{ ...item, end: items[index + 2]?.x ?? item.end }] : [item];
  });
}

/** True if any text of a page reads from the right. */
export function hasRight(items: readonly PageItem[]): boolean {
  return items.some(({ text }) => hasRightToLeft(text));
}
