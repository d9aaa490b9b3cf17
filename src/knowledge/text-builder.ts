import { EngineError } from "../base/error.ts";
import { DocumentLosses, type LossKind, type LossOptions } from "./document-losses.ts";
import type { DocumentText, ReadLimits } from "./document-text.ts";
import type { TextMark } from "./text-mark.ts";

/** Maximum number of marks in one text: pages, and non-consecutive rows. */
const MAX_MARKS = 200_000;

/** Builds a document's text piece by piece. */
export class TextBuilder {
  readonly #pieces: string[] = [];
  readonly #marks: TextMark[] = [];
  readonly #limits: ReadLimits;
  readonly #losses = new DocumentLosses();
  #length = 0;
  #next: { readonly sheet?: string | undefined; readonly number: number } | undefined;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** Throws `limit_exceeded` if the document becomes too long. */
  add(piece: string, from?: Omit<TextMark, "offset">): void {
    if (from !== undefined) {
      if (this.#marks.length === MAX_MARKS)
        throw new EngineError(
          "limit_exceeded",
          `the document has more than ${MAX_MARKS} pages, or rows with gaps between them: split it up`,
        );
      this.#marks.push({ offset: this.#length, ...from });
    }
    this.#pieces.push(piece);
    this.#length += piece.length;
    checkLength(this.#length, this.#limits);
  }

  /**
   * Adds a row of a table, or a record of a file of lines, as one line. Rows are consecutive or have a mark: a few blank
   * lines are shorter than a mark.
   */
  addRow(
    text: string,
    place: { readonly sheet?: string; readonly row: number } | { readonly line: number },
  ): void {
    const [sheet, number] = "row" in place ? [place.sheet, place.row] : [undefined, place.line];
    const gap = this.#next?.sheet === sheet ? number - (this.#next?.number ?? Infinity) : -1;
    const line = `${text.replaceAll(/\r\n?|\n/g, " ")}\n`;
    if (gap >= 0 && gap <= MAX_BLANK_ROWS) this.add("\n".repeat(gap) + line);
    else this.add(line, place);
    this.#next = { sheet, number: number + 1 };
  }

  /** Length of the text so far. */
  get length(): number {
    return this.#length;
  }

  /** Throws `limit_exceeded` if this many more characters exceed the limit. */
  check(more: number): void {
    checkLength(this.#length + more, this.#limits);
  }

  /** Reports content that the text does not have. @default its place is the last mark's */
  lose(kind: LossKind, options: LossOptions = {}): void {
    const { offset: _, ...place } = this.#marks.at(-1) ?? { offset: 0 };
    this.#losses.add(kind, { place, ...options });
  }

  build(): DocumentText {
    return { text: this.#pieces.join(""), marks: this.#marks, ...this.#losses.report() };
  }
}

/** Maximum number of blank rows between two consecutive rows of the text. */
const MAX_BLANK_ROWS = 3;

/** Throws `limit_exceeded` for a text beyond the limit. */
export function checkLength(length: number, { maxCharacters }: ReadLimits): void {
  if (length <= maxCharacters) return;
  throw new EngineError(
    "limit_exceeded",
    `the document has more than ${maxCharacters} characters of text: split it up`,
  );
}
