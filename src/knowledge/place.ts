// Place of a chunk in its document, and of an answer in a chunk.
//
//   PL1. A chunk of one page, row or line is cited by it. Among several, the one with most of the question's terms is
//        cited. If none clearly leads, all candidates are cited.
//   PL2. Rows and lines are consecutive, one per line of text, unless a mark changes that.
import { termsOf } from "../text/index.ts";
import type { DocumentText } from "./document-text.ts";
import type { TextMark } from "./text-mark.ts";
import type { KnowledgeChunk } from "./knowledge-store.ts";

type ChunkPlace = Pick<KnowledgeChunk, "page" | "row" | "line" | "sheet" | "marks">;

const UNITS = ["page", "row", "line"] as const;

/** From the first to the last, both included. */
type Range = { readonly first: number; readonly last: number };

/** A page, a row or a line; several if the exact one is unclear. */
export type Place = {
  readonly sheet?: string;
  readonly heading?: string;
  readonly page?: number;
  readonly pages?: Range;
  readonly row?: number;
  readonly rows?: Range;
  readonly line?: number;
  readonly lines?: Range;
};

/** Returns the origin of spans in a document's text, in the form of their chunks. Spans must come in order. */
export class Places {
  readonly #text: string;
  readonly #marks: readonly TextMark[];
  #mark = 0;
  /** Offset up to which line breaks since the mark were counted, and their number. */
  #counted = 0;
  #breaks = 0;

  constructor({ text, marks }: Pick<DocumentText, "text" | "marks">) {
    this.#text = text;
    this.#marks = marks;
    this.#counted = marks[0]?.offset ?? 0;
  }

  of({ start, end }: { readonly start: number; readonly end: number }): ChunkPlace {
    for (let next = this.#marks[this.#mark + 1]; next !== undefined && next.offset <= start;) {
      this.#counted = next.offset;
      this.#breaks = 0;
      next = this.#marks[++this.#mark + 1];
    }
    const mark = this.#marks[this.#mark];
    if (mark === undefined || mark.offset >= end) return {};
    const { sheet } = mark;
    const within = sheet === undefined ? {} : { sheet };
    const unit = UNITS.find((each) => mark[each] !== undefined);
    if (unit === undefined) return within;
    for (let at = this.#text.indexOf("\n", this.#counted); at !== -1 && at < start;) {
      this.#breaks++;
      this.#counted = at + 1;
      at = this.#text.indexOf("\n", at + 1);
    }
    const number = (mark[unit] ?? 0) + (unit === "page" ? 0 : this.#breaks);
    const after = this.#marks[this.#mark + 1];
    const upTo = after?.sheet === sheet ? (after?.[unit] ?? Infinity) : Infinity;
    const marks: Array<readonly [number, number]> = [];
    for (let next = this.#mark + 1; (this.#marks[next]?.offset ?? end) < end; next++) {
      const { offset = 0, [unit]: value } = this.#marks[next] ?? {};
      if (value !== undefined) marks.push([offset - start, value]);
    }
    return {
      ...within,
      [unit]: Math.max(mark[unit] ?? 0, Math.min(number, upTo - 1)),
      ...(marks.length === 0 ? undefined : { marks }),
    };
  }
}

type Part = { readonly number: number; readonly text: string };

/** Returns the pages, rows or lines of a chunk with terms. */
function partsOf(chunk: KnowledgeChunk, unit: (typeof UNITS)[number]): readonly Part[] {
  const starts = [[0, chunk[unit] ?? 0] as const, ...(chunk.marks ?? [])];
  const parts: Part[] = [];
  for (const [index, [offset, number]] of starts.entries()) {
    const [end, next = Infinity] = starts[index + 1] ?? [chunk.text.length];
    const text = chunk.text.slice(offset, end);
    const lines = unit === "page" ? [text] : text.split("\n");
    for (const [further, line] of lines.entries())
      if (line.trim() !== "")
        parts.push({ number: Math.max(number, Math.min(number + further, next - 1)), text: line });
  }
  return parts;
}

/** Returns the place in a chunk that answers a question (PL1). `queries` are the terms of each phrasing. */
export function placeIn(chunk: KnowledgeChunk, queries: ReadonlyArray<readonly string[]>): Place {
  const { sheet, heading } = chunk;
  const about = {
    ...(sheet === undefined ? undefined : { sheet }),
    ...(heading === undefined ? undefined : { heading }),
  };
  const unit = UNITS.find((each) => chunk[each] !== undefined);
  if (unit === undefined) return about;
  const parts = partsOf(chunk, unit);
  // The header row has no weight against the other rows.
  const rows = unit === "row" ? parts.filter(({ number }) => number > 1) : parts;
  const numbers =
    bestOf(rows, queries) ?? bestOf(parts, queries) ?? parts.map(({ number }) => number);
  const first = numbers[0] ?? chunk[unit] ?? 1;
  const last = numbers.at(-1) ?? first;
  return { ...about, ...(first === last ? { [unit]: first } : { [`${unit}s`]: { first, last } }) };
}

/** Returns the pages, rows or lines with most of the question's terms; undefined if there are too few terms. */
function bestOf(
  parts: readonly Part[],
  queries: ReadonlyArray<readonly string[]>,
): readonly number[] | undefined {
  const terms = new Map<number, Set<string>>();
  for (const { number, text } of parts) {
    const known = terms.get(number) ?? new Set();
    for (const term of termsOf(text)) known.add(term);
    terms.set(number, known);
  }
  let best: { readonly weight: number; readonly numbers: readonly number[] } | undefined;
  for (const query of queries) {
    const asked = new Set(query);
    const weights = new Map<string, number>();
    for (const term of asked) {
      const having = [...terms.values()].filter((each) => each.has(term)).length;
      if (having > 0) weights.set(term, Math.log2(1 + terms.size / having));
    }
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    const enough = Math.min(3, Math.ceil(asked.size / 2));
    for (const [number, known] of terms) {
      const found = [...weights].filter(([term]) => known.has(term));
      const weight = found.reduce((sum, [, each]) => sum + each, 0);
      if (found.length < enough || weight < total / 2 || weight < (best?.weight ?? 0)) continue;
      const numbers = weight === best?.weight ? best.numbers : [];
      best = { weight, numbers: numbers.includes(number) ? numbers : [...numbers, number] };
    }
  }
  return best?.numbers.toSorted((a, b) => a - b);
}

/**
 * Returns a place as text, piece by piece: `page 3`, or `sheet Stock` and `rows 40–62`. Lines appear only without a
 * heading.
 */
export function placeTexts(place: Place): readonly string[] {
  const { sheet, heading } = place;
  const of = (unit: (typeof UNITS)[number]): readonly string[] => {
    const several = place[`${unit}s`];
    if (several !== undefined) return [`${unit}s ${several.first}–${several.last}`];
    return place[unit] === undefined ? [] : [`${unit} ${place[unit]}`];
  };
  return [
    ...of("page"),
    ...(sheet === undefined ? [] : [`sheet ${sheet}`]),
    ...of("row"),
    ...(heading === undefined ? of("line") : [heading]),
  ];
}
