// Boundaries that chunks do not cross: headings, pages, sheets.
import type { TextMark } from "./text-mark.ts";

type Section = { readonly start: number; readonly end: number; readonly heading?: string };

export function* sectionsOf(
  text: string,
  about: {
    readonly marks: readonly TextMark[];
    readonly size: number;
    readonly hasHeadings: boolean;
  },
): Generator<Section> {
  const headed = about.hasHeadings ? underHeadings(text) : [{ start: 0, end: text.length }];
  const pages = pagesOf(text, about);
  let page = pages.next();
  for (const { start, end, ...rest } of headed)
    for (let from = start; from < end;) {
      while (page.value !== undefined && page.value.end <= from) page = pages.next();
      const to = Math.min(end, page.value?.end ?? end);
      yield { ...rest, start: from, end: to };
      from = to;
    }
}

/** Yields sheets and pages. Pages too small to be found by their text join the next one. */
function* pagesOf(
  text: string,
  { marks, size }: { readonly marks: readonly TextMark[]; readonly size: number },
): Generator<Section, undefined> {
  let start = 0;
  let open: TextMark | undefined = marks[0];
  for (const mark of marks.slice(1)) {
    if (mark.sheet === open?.sheet) {
      if (mark.page === open?.page) continue;
      const isSmall = text.slice(start, mark.offset).trim().length < size / 10;
      if (isSmall) {
        open = mark;
        continue;
      }
    }
    if (mark.offset > start) yield { start, end: mark.offset };
    start = mark.offset;
    open = mark;
  }
  if (start < text.length) yield { start, end: text.length };
  return undefined;
}

/** Splits Markdown at headings (`#` to `######`), except within code blocks. */
function* underHeadings(text: string): Generator<Section> {
  const path: string[] = [];
  let fence: string | undefined;
  let start = 0;
  let heading = "";
  const section = (end: number): Section =>
    heading === "" ? { start, end } : { start, end, heading };
  for (let offset = 0, next = 0; offset < text.length; offset = next) {
    const end = text.indexOf("\n", offset);
    next = end === -1 ? text.length : end + 1;
    const line = text.slice(offset, next);
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined;
    const marks = fence === undefined ? /^ {0,3}(#{1,6})(?=\s)/.exec(line)?.[1] : undefined;
    if (marks === undefined) continue;
    if (offset > start) yield section(offset);
    start = offset;
    path.length = Math.min(path.length, marks.length - 1);
    while (path.length < marks.length - 1) path.push("");
    path.push(titleOf(line));
    heading = path.filter((each) => each !== "").join(" > ");
  }
  if (text.length > start) yield section(text.length);
}

const MAX_TITLE_LENGTH = 200;

/** Removes opening and closing marks. */
function titleOf(line: string): string {
  const title = line
    .trim()
    .replace(/^#+/, "")
    .slice(0, 2 * MAX_TITLE_LENGTH)
    .trim();
  const bare = title.endsWith("#") ? title.replace(/(?<=^|\s)#{1,400}$/, "").trim() : title;
  return bare.slice(0, MAX_TITLE_LENGTH);
}
