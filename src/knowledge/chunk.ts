// How texts are cut into chunks. A chunk is a slice of its text, so that a citation can name the place.
//
//   CH1. `window`: fixed windows from the start on; each begins `overlap` before the end of the one before it.
//   CH2. `lines`: as `window`, but a window ends after the last line break in it, where there is one that brings it further
//        than the overlap.
//   CH3. `recursive`: at the strongest separator (paragraph, line, sentence, word) that pieces of at most `size` can be made with;
//        neighbours are put together again up to `size`, and what overlaps is whole pieces, blanks before them not counted.
//   CH4. `markdown`: as `recursive` within each section; a chunk never crosses a heading, nor is a code block cut that fits, and
//        each chunk knows the headings above it.
//   CH5. No chunk is longer than `size`; none is blank.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";

export type ChunkRule = "window" | "lines" | "recursive" | "markdown";

/** How a document is cut into chunks. */
export type Chunking = {
  /** @default "markdown" for Markdown, else "window" */
  readonly rule?: ChunkRule;
  /** In UTF-16 units. @default 4000 */
  readonly size?: number;
  /** How much of a chunk's end begins the next one; less than `size`. @default 200 */
  readonly overlap?: number;
};

/** `[start, end)` of a text. */
export type Span = { readonly start: number; readonly end: number; readonly heading?: string };

export const CHUNK_RULES = ["window", "lines", "recursive", "markdown"] as const;
const DEFAULTS = { size: 4000, overlap: 200 };
const MAX_SIZE = 32_000;

/** Throws `invalid_input` that names what of a chunking cannot be. */
export function checkChunking({ rule, size, overlap }: Chunking, field: string): void {
  const wrong = (name: string, expected: string, value: unknown): EngineError =>
    new EngineError("invalid_input", `${field}.${name} must be ${expected}, got ${preview(value)}`);
  const effective = size ?? DEFAULTS.size;
  if (rule !== undefined && !CHUNK_RULES.includes(rule))
    throw wrong("rule", `one of ${CHUNK_RULES.join(", ")}`, rule);
  if (!Number.isInteger(effective) || effective < 1 || effective > MAX_SIZE)
    throw wrong("size", `an integer from 1 to ${MAX_SIZE}`, size);
  const between = overlap ?? Math.min(DEFAULTS.overlap, effective - 1);
  if (!Number.isInteger(between) || between < 0 || between >= effective)
    throw wrong("overlap", `an integer from 0 to less than the size, ${effective}`, overlap);
}

/** Cuts a text. The spans are in order; none is blank. */
export function chunksOf(
  text: string,
  chunking: Chunking & { readonly format?: "plain" | "markdown" | undefined } = {},
): Span[] {
  checkChunking(chunking, "chunking");
  const { size = DEFAULTS.size, format } = chunking;
  const { rule = format === "markdown" ? "markdown" : "window" } = chunking;
  const overlap = chunking.overlap ?? Math.min(DEFAULTS.overlap, size - 1);
  const spans = CUTTERS[rule](text, { size, overlap });
  return spans.filter(({ start, end }) => text.slice(start, end).trim() !== "");
}

type Measure = { readonly size: number; readonly overlap: number };
type Cutter = (text: string, measure: Measure) => Span[];

const CUTTERS: Readonly<Record<ChunkRule, Cutter>> = {
  window: windows,
  lines: lineWindows,
  recursive: (text, measure) => within(text, { start: 0, end: text.length }, measure),
  markdown: (text, measure) =>
    sections(text).flatMap(({ heading, ...span }) =>
      within(text, span, measure).map((each) => (heading === "" ? each : { ...each, heading })),
    ),
};

/** The last window may be part of the one before it. */
function windows(text: string, { size, overlap }: Measure): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length; start += size - overlap)
    spans.push({ start, end: Math.min(start + size, text.length) });
  return spans;
}

function lineWindows(text: string, { size, overlap }: Measure): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + size, text.length);
    if (end < text.length) {
      const line = text.lastIndexOf("\n", end - 1) + 1;
      if (line > start + overlap) end = line;
    }
    spans.push({ start, end });
    if (end === text.length) break;
    start = end - overlap;
  }
  return spans;
}

/** From the strongest to the weakest. A piece begins with its separator, except line breaks, which end one. */
const SEPARATORS: readonly RegExp[] = [/\n{2,}/g, /\n/g, /(?<=[.!?…。])\s+/g, /\s+/g];

function within(text: string, span: Span, measure: Measure): Span[] {
  return merged(text, pieces(text, span, { size: measure.size, level: 0 }), measure);
}

/** Pieces of at most `size` that make up the span without gaps. */
function pieces(
  text: string,
  { start, end }: Span,
  { size, level }: { readonly size: number; readonly level: number },
): Span[] {
  if (end - start <= size) return [{ start, end }];
  const separator = SEPARATORS[level];
  if (separator === undefined) {
    const spans: Span[] = [];
    for (let at = start; at < end; at += size)
      spans.push({ start: at, end: Math.min(at + size, end) });
    return spans;
  }
  const cuts = [...text.slice(start, end).matchAll(separator)].map((match) =>
    match[0].includes("\n") ? start + match.index + match[0].length : start + match.index,
  );
  const borders = [start, ...cuts.filter((cut) => cut > start && cut < end), end];
  return borders
    .slice(1)
    .flatMap((border, index) =>
      pieces(text, { start: borders[index] ?? start, end: border }, { size, level: level + 1 }),
    );
}

function merged(text: string, parts: readonly Span[], { size, overlap }: Measure): Span[] {
  const spans: Span[] = [];
  let first = 0;
  for (let next = 0; next < parts.length; next++) {
    const start = parts[first]?.start ?? 0;
    const end = parts[next]?.end ?? 0;
    if (end - start <= size) continue;
    const last = parts[next - 1]?.end ?? start;
    spans.push({ start, end: last });
    // What overlaps is whole pieces, as long as the piece that did not fit still does.
    while (first < next) {
      const from = parts[first]?.start ?? 0;
      const shared = text.slice(from, last).trimStart().length;
      if (shared > 0 && shared <= overlap && end - from <= size) break;
      first++;
    }
  }
  const rest = parts[first];
  if (rest !== undefined) spans.push({ start: rest.start, end: parts.at(-1)?.end ?? rest.end });
  return spans;
}

/** Markdown by headings (`#` to `######`), which are none within code blocks. */
function sections(text: string): Array<Required<Span>> {
  const found: Array<Required<Span>> = [];
  const path: string[] = [];
  let fence: string | undefined;
  let start = 0;
  let heading = "";
  let offset = 0;
  const close = (end: number): void => {
    if (end > start) found.push({ start, end, heading });
    start = end;
  };
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined;
    const title = fence === undefined ? /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) : null;
    if (title !== null) {
      close(offset);
      const [, marks = "", name = ""] = title;
      path.length = Math.min(path.length, marks.length - 1);
      while (path.length < marks.length - 1) path.push("");
      path.push(name);
      heading = path.filter((each) => each !== "").join(" > ");
    }
    offset += line.length;
  }
  close(text.length);
  return found;
}
