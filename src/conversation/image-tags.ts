// Image tags in texts: `<img https://…>` in AG2's form, and `<img src="…">` in HTML's.
//
//   IMG1. A tag with an http or https address, or with an image as a base64 data URL, becomes an image; the text around
//         it stays.
//   IMG2. Tags in a code span or a fenced block stay text. So do tags with other sources, such as paths of files.
//   IMG3. Processing time grows linearly with the length of any text.
import type { MessagePart } from "./messages.ts";

/** Returns true if an address may be sent to the model's provider, which loads it. */
export type AcceptsImage = (url: URL) => boolean;

type Span = { readonly start: number; readonly end: number };

/** A tag and its source. */
type Tag = Span & { readonly source: string };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A tag whose first token is its address. A missing quote, or further text behind it, is accepted. */
const BARE = /<img\s+["']?((?:https?:|data:)[^\s"'<>]+)[^<>]*>/iy;
const ATTRIBUTE = /\s*([^\s=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"']+))?/y;
const DATA_URL = /^data:(image\/[\w.+-]+);base64,([\w+/]+={0,2})$/i;

/** Splits a text into parts with its images; undefined without images. */
export function imageParts(
  text: string,
  accept: AcceptsImage = () => true,
): readonly MessagePart[] | undefined {
  const parts: MessagePart[] = [];
  let done = 0;
  const addText = (until: number): void => {
    const between = text.slice(done, until);
    if (between.trim() !== "") parts.push({ type: "text", text: between });
  };
  for (const { start, end, source } of tagsOf(text)) {
    const image = imageOf(source, accept);
    if (image === undefined) continue;
    addText(start);
    parts.push(image);
    done = end;
  }
  if (done === 0) return undefined;
  addText(text.length);
  return parts;
}

/** Returns the positions of tags outside of code. */
function tagsOf(text: string): readonly Tag[] {
  const tags: Tag[] = [];
  if (!/<img\s/i.test(text)) return tags;
  const code = codeSpans(text);
  const last = text.lastIndexOf(">");
  let span = 0;
  let before = 0;
  for (const { index: start } of text.matchAll(/<img\s/gi)) {
    if (start > last) break;
    if (start < before) continue;
    while ((code[span]?.end ?? Infinity) <= start) span++;
    if ((code[span]?.start ?? Infinity) <= start) continue;
    const tag = bareTag(text, start) ?? htmlTag(text, start);
    if (tag === undefined) continue;
    tags.push(tag);
    before = tag.end;
  }
  return tags;
}

function bareTag(text: string, start: number): Tag | undefined {
  BARE.lastIndex = start;
  const source = BARE.exec(text)?.[1];
  return source === undefined ? undefined : { start, end: BARE.lastIndex, source };
}

function htmlTag(text: string, start: number): Tag | undefined {
  const end = endOfTag(text, start + 1);
  if (end === undefined) return undefined;
  return { start, end, source: sourceOf(text.slice(start + "<img".length, end - 1)) };
}

/** Returns the position after the closing `>` of a tag: the first one outside of quotes, before another tag begins. */
function endOfTag(text: string, from: number): number | undefined {
  const mark = /["'<>]/g;
  mark.lastIndex = from;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found;
    if (character === ">") return mark.lastIndex;
    if (character === "<") return undefined;
    const closing = text.indexOf(character, mark.lastIndex);
    if (closing === -1) return undefined;
    mark.lastIndex = closing + 1;
  }
  return undefined;
}

function imageOf(source: string, accept: AcceptsImage): MessagePart | undefined {
  const [, mediaType, data] = DATA_URL.exec(source) ?? [];
  if (mediaType !== undefined && data !== undefined)
    return { type: "image", mediaType: mediaType.toLowerCase(), data };
  if (!/^https?:\/\/[^\s<>]+$/i.test(source) || !URL.canParse(source)) return undefined;
  return accept(new URL(source)) ? { type: "image", url: source } : undefined;
}

/** Returns the `src` of a tag. */
function sourceOf(inside: string): string {
  ATTRIBUTE.lastIndex = 0;
  for (let found = ATTRIBUTE.exec(inside); found !== null; found = ATTRIBUTE.exec(inside)) {
    const [, name = "", value] = found;
    if (name.toLowerCase() === "src" && value !== undefined)
      return unquoted(value).trim().replaceAll("&amp;", "&");
  }
  return "";
}

function unquoted(text: string): string {
  return /^(["'])[^]*\1$/.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

/** Returns fenced blocks, and spans between equally long runs of backticks outside of them, in order. */
function codeSpans(text: string): readonly Span[] {
  if (!/[`~]/.test(text)) return [];
  const spans: Span[] = [];
  let fence: { readonly start: number; readonly mark: string } | undefined;
  let prose = 0;
  let start = 0;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const end = start + line.length;
    if (mark !== undefined && fence === undefined) {
      spans.push(...inlineSpans(text, prose, start));
      fence = { start, mark };
    } else if (
      mark !== undefined &&
      fence !== undefined &&
      mark[0] === fence.mark[0] &&
      mark.length >= fence.mark.length &&
      line.trim() === mark
    ) {
      spans.push({ start: fence.start, end });
      fence = undefined;
      prose = end;
    }
    start = end + 1;
  }
  spans.push(
    ...(fence === undefined
      ? inlineSpans(text, prose, text.length)
      : [{ start: fence.start, end: text.length }]),
  );
  return spans;
}

function inlineSpans(text: string, from: number, until: number): readonly Span[] {
  const runs = Array.from(text.slice(from, until).matchAll(/`+/g), ({ 0: run, index }) => ({
    start: from + index,
    length: run.length,
  }));
  /** Positions of the runs of each length, last one first. */
  const places = new Map<number, number[]>();
  for (const [index, { length }] of runs.entries()) {
    const known = places.get(length) ?? [];
    known.push(index);
    places.set(length, known);
  }
  for (const known of places.values()) known.reverse();
  const spans: Span[] = [];
  for (let index = 0; index < runs.length; index++) {
    const { start, length } = runs[index] ?? { start: 0, length: 0 };
    const same = places.get(length) ?? [];
    while ((same.at(-1) ?? Infinity) <= index) same.pop();
    const closing = same.at(-1);
    if (closing === undefined) continue;
    spans.push({ start, end: (runs[closing]?.start ?? start) + length });
    index = closing;
  }
  return spans;
}
