// Text of all pages: without repeated headers and footers, and with words across lines joined.
import type { TextBuilder } from "../text-builder.ts";
import { withoutUnknown } from "./pdf-letters.ts";
import type { PageLine } from "./pdf-lines.ts";

export type PdfPage = {
  readonly lines: readonly PageLine[];
  /** Lower and upper edge. */
  readonly bottom: number;
  readonly top: number;
};

/** Share of a page's height for its header or its footer. */
const MARGIN = 0.075;
/** Minimum number of pages with a line, and share of all pages, for a repeated line. */
const MIN_REPEATED = 3;
const REPEATED_SHARE = 1 / 4;
/** Minimum share of lines that end within a word, in a document that divides words. */
const DIVIDED_SHARE = 0.02;

const BROKEN = /(?<start>\p{L}[\p{L}\p{M}]+)(?<hyphen>[-\u00ad\u2010])$/u;
const REST = /^(?<rest>\p{Ll}[\p{L}\p{M}]*)/u;

/** Letters of scripts without spaces between words. */
const SPACELESS =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\u3005\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]";
/** Minimum length of a line that goes on in the next one, in sizes of the font. */
const MIN_WRAPPED = 12;

/** Adds the pages to a text. Reports pages without text, repeated lines and unknown characters. */
export function addPages(pages: readonly PdfPage[], builder: TextBuilder): void {
  const repeated = repeatedLines(pages);
  const words = wordsOf(pages);
  const seen = new Set<string>();
  for (const [index, { lines, ...page }] of pages.entries()) {
    builder.add("", { page: index + 1 });
    if (lines.length === 0) builder.lose("page_without_text");
    const kept = lines.filter((line) => {
      const key = isMargin(line, page) ? keyOf(line) : "";
      if (!repeated.has(key)) return true;
      if (!seen.has(key)) return seen.add(key);
      builder.lose("repeated", { example: line.text });
      return false;
    });
    const texts = words.joined(kept.length === 0 ? lines : kept);
    for (const text of texts) {
      const known = withoutUnknown(text, (count) => builder.lose("undecodable", { count }));
      builder.add(`${known.replaceAll("\u00ad", "")}\n`);
    }
    if (texts.length === 0) builder.add("\n");
  }
}

/** Returns the keys of lines in the margins of many pages. */
function repeatedLines(pages: readonly PdfPage[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { lines, ...page } of pages)
    for (const key of new Set(lines.filter((line) => isMargin(line, page)).map(keyOf)))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  const least = Math.max(MIN_REPEATED, pages.length * REPEATED_SHARE);
  return new Set([...counts].flatMap(([key, count]) => (count >= least ? [key] : [])));
}

function isMargin({ y }: PageLine, { bottom, top }: Omit<PdfPage, "lines">): boolean {
  const margin = MARGIN * (top - bottom);
  return y > top - margin || y < bottom + margin;
}

/** Returns a line's text without its numbers, such as that of the page. */
function keyOf({ text }: PageLine): string {
  return text.replaceAll(/\p{N}+/gu, "#");
}

type Words = { readonly joined: (lines: readonly PageLine[]) => string[] };

/** Returns the rule for words across two lines of a document: its other words, and its number of divided words. */
function wordsOf(pages: readonly PdfPage[]): Words {
  const lines = pages.flatMap((page) => page.lines);
  const broken = lines.filter(({ text }) => BROKEN.test(text.slice(-MAX_WORD))).length;
  const words = new Set<string>();
  if (broken > 0)
    for (const { text } of lines)
      for (const [word] of text.matchAll(/\p{L}[\p{L}\p{M}]*(?:[-\u2010]\p{L}[\p{L}\p{M}]*)*/gu))
        words.add(word.toLowerCase().replaceAll("\u2010", "-"));
  const divides = broken > DIVIDED_SHARE * lines.length;
  return { joined: (each) => joinedLines(each, { words, divides }) };
}

function joinedLines(
  lines: readonly PageLine[],
  rule: { readonly words: ReadonlySet<string>; readonly divides: boolean },
): string[] {
  /** Pieces of each line of the text. */
  const joined: string[][] = [];
  for (const [index, line] of lines.entries()) {
    const last = joined.at(-1);
    const before = lines[index - 1];
    if (last === undefined || before === undefined || line.text.includes(" | ")) {
      joined.push([line.text]);
      continue;
    }
    const { start, hyphen } = BROKEN.exec(before.text.slice(-MAX_WORD))?.groups ?? {};
    const { rest } = REST.exec(line.text)?.groups ?? {};
    if (start !== undefined && rest !== undefined) {
      if (hyphen === "\u00ad" || !keepsHyphen(start, rest, rule))
        last.push((last.pop() ?? "").slice(0, -1));
      last.push(line.text);
    } else if (isWrapped(before, line, lines[index - 2])) last.push(line.text);
    else joined.push([line.text]);
  }
  return joined.map((pieces) => pieces.join(""));
}

/** Maximum length of a part of a word before its hyphen. */
const MAX_WORD = 64;

const ENDS_WITHOUT_SPACES = new RegExp(`${SPACELESS}$`, "u");
const BEGINS_WITHOUT_SPACES = new RegExp(`^${SPACELESS}`, "u");

/** True for a line that goes on in the next one, in a script without spaces: it is as long as its block. */
function isWrapped(line: PageLine, next: PageLine, above: PageLine | undefined): boolean {
  const { size } = line;
  const isFull = [next, above].every(
    (other) =>
      other === undefined || Math.abs(other.x - line.x) > size || line.end > other.end - 1.5 * size,
  );
  return (
    isFull &&
    ENDS_WITHOUT_SPACES.test(line.text) &&
    BEGINS_WITHOUT_SPACES.test(next.text) &&
    Math.abs(next.size - size) < 0.1 * size &&
    // The first line of a paragraph is indented by at most two letters.
    next.x - line.x < 0.5 * size &&
    line.x - next.x < 2.5 * size &&
    line.y - next.y > 0 &&
    line.y - next.y < 2.2 * size &&
    line.end - line.x > MIN_WRAPPED * size
  );
}

function keepsHyphen(
  start: string,
  rest: string,
  { words, divides }: { readonly words: ReadonlySet<string>; readonly divides: boolean },
): boolean {
  if (words.has(`${start}-${rest}`.toLowerCase())) return true;
  return !words.has(`${start}${rest}`.toLowerCase()) && !divides;
}
