// Rules for cutting texts into chunks. A chunk is a slice of its text, so a citation can name the place.
//
//   CH1. `window`: fixed windows from the start on; each begins `overlap` before the end of the previous one.
//   CH2. `lines`: as `window`, but a window ends after its last line break, if the break lies beyond the overlap.
//   CH3. `recursive`: cut at the strongest separator (paragraph, line, sentence, word) that produces pieces of at most
//        `size`. Neighbours are joined again up to `size`. The overlap is made of whole pieces; blanks before them do
//        not count.
//   CH4. `markdown`: as `blocks` within each section. A chunk never crosses a heading, and each chunk has the headings
//        above it.
//   CH5. No chunk is longer than `size`, is blank, or begins with a line break.
//   CH6. `blocks`: whole paragraphs, lines or rows. The end of a block depends only on the text nearby, so a change of
//        the text affects only the chunks nearby.
//   CH7. No chunk of any rule crosses a sheet. No chunk crosses a page, except pages shorter than a tenth of `size`,
//        which join the next one.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { blocks, lineWindows, recursive, windows, type Cutter } from "./cut-text.ts";
import type { DocumentText } from "./document-text.ts";
import { sectionsOf } from "./sections.ts";

type ChunkRule = "blocks" | "window" | "lines" | "recursive" | "markdown";

/** Settings for cutting a document into chunks. */
export type Chunking = {
  /** @default "markdown" for Markdown, HTML and DOCX, else "blocks" */
  readonly rule?: ChunkRule;
  /** Maximum length of a chunk, in UTF-16 units. @default 4000 */
  readonly size?: number;
  /** Length of a chunk's end that begins the next one; less than `size`. @default 200, and 0 for rows of a table */
  readonly overlap?: number;
};

/** `[start, end)` of a text. */
export type Span = { readonly start: number; readonly end: number; readonly heading?: string };

export const CHUNK_RULES = ["blocks", "window", "lines", "recursive", "markdown"] as const;
const DEFAULTS = { size: 4000, overlap: 200 };
const MAX_SIZE = 32_000;

const CUTTERS: Readonly<Record<ChunkRule, Cutter>> = {
  blocks,
  markdown: blocks,
  window: windows,
  lines: lineWindows,
  recursive,
};

/** Throws `invalid_input`, naming the invalid field of a chunking. */
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

/** Cuts a document's text. The spans are in order and never blank. The generator makes them one by one. */
export function* chunksOf(
  { text, marks = [], format }: Partial<DocumentText> & Pick<DocumentText, "text">,
  chunking: Chunking = {},
): Generator<Span> {
  checkChunking(chunking, "chunking");
  const { rule = format === "markdown" ? "markdown" : "blocks", size = DEFAULTS.size } = chunking;
  const usual = marks[0]?.row === undefined ? Math.min(DEFAULTS.overlap, size - 1) : 0;
  const { overlap = usual } = chunking;
  const sections = sectionsOf(text, { marks, size, hasHeadings: rule === "markdown" });
  for (const { heading, ...section } of sections)
    for (const { start, end } of CUTTERS[rule](text, section, { size, overlap })) {
      const chunk = text.slice(start, end);
      if (chunk.trim() === "") continue;
      const first = end - chunk.replace(/^[\r\n]+/, "").length;
      yield { start: first, end, ...(heading === undefined ? undefined : { heading }) };
    }
}
