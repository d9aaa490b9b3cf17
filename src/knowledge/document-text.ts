// Text of a document, with the places of its pieces in the document.
import type { DocumentLoss } from "./document-losses.ts";
import type { TextMark } from "./text-mark.ts";

/** The text of a document, with the places of its pages, sheets or headings. */
export type DocumentText = {
  readonly text: string;
  /** By offset, ascending. */
  readonly marks: readonly TextMark[];
  /** `markdown`: headings and blocks determine possible cuts. @default "plain" */
  readonly format?: "plain" | "markdown";
  /** Content that the text does not have, at most one entry for each kind. @default none is known */
  readonly losses?: readonly DocumentLoss[];
};

/** Converts bytes of some document formats to text. */
export type DocumentReader = {
  /** Name in messages. */
  readonly name: string;
  /** Media types, in lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** Extensions with the dot, in lower case. */
  readonly extensions: readonly string[];
  /** Throws `invalid_input` for bytes of another format, or for more than `maxCharacters` of text. */
  readonly read: (bytes: Uint8Array, limits: ReadLimits) => Promise<DocumentText>;
};

/** Limits of a reader. */
export type ReadLimits = {
  /** Maximum length of the text, in UTF-16 units. */
  readonly maxCharacters: number;
  /** Encoding of a text, as its source names it. @default found by the reader */
  readonly encoding?: string | undefined;
};

/** Maximum unpacked size of a packed document, such as DOCX and XLSX, in bytes. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
