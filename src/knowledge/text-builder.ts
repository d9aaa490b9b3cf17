import { EngineError } from "../base/error.ts";
import type { DocumentText, ReadLimits, TextMark } from "./document-text.ts";

/** Puts a document's text together piece by piece. */
export class TextBuilder {
  readonly #pieces: string[] = [];
  readonly #marks: TextMark[] = [];
  readonly #limits: ReadLimits;
  #length = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** Throws `limit_exceeded` when the document becomes too long. */
  add(piece: string, from?: Omit<TextMark, "offset">): void {
    if (from !== undefined) this.#marks.push({ offset: this.#length, ...from });
    this.#pieces.push(piece);
    this.#length += piece.length;
    checkLength(this.#length, this.#limits);
  }

  build(): DocumentText {
    return { text: this.#pieces.join(""), marks: this.#marks };
  }
}

/** Throws `limit_exceeded` for a text that is too long. */
export function checkLength(length: number, { maxCharacters }: ReadLimits): void {
  if (length <= maxCharacters) return;
  throw new EngineError(
    "limit_exceeded",
    `the document is more than ${maxCharacters} characters of text: split it up`,
  );
}
