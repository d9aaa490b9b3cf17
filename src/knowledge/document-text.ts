// What a document says, as text, and where in the document each piece of it stands.

/** Where the text after an offset comes from, up to the next mark. */
export type TextMark = {
  /** In UTF-16 units, from the start of the text. */
  readonly offset: number;
  /** From 1. */
  readonly page?: number;
  /** Of the line of text that begins here, from 1, as a spreadsheet counts; each line after it is the next row. */
  readonly row?: number;
  /** Of the file, from 1; each line of text after it is the next line. */
  readonly line?: number;
  readonly sheet?: string;
};

/** The text of a document, with the places of its pages, sheets or headings. */
export type DocumentText = {
  readonly text: string;
  /** By offset, ascending. */
  readonly marks: readonly TextMark[];
  /** `markdown`: headings and blocks say where it may be cut. @default "plain" */
  readonly format?: "plain" | "markdown";
};

/** Makes bytes of some kinds of document into text. */
export type DocumentReader = {
  /** What messages call it. */
  readonly name: string;
  /** Media types, in lower case, without parameters. */
  readonly mediaTypes: readonly string[];
  /** With the dot, in lower case. */
  readonly extensions: readonly string[];
  /** Throws `invalid_input` for bytes that are no such document, or that would be more than `maxCharacters` of text. */
  readonly read: (bytes: Uint8Array, limits: ReadLimits) => Promise<DocumentText>;
};

/** What a reader takes at most. */
export type ReadLimits = {
  /** Of the text, in UTF-16 units. */
  readonly maxCharacters: number;
};

/** Of a document that is packed, such as DOCX and XLSX: what it may be unpacked, in bytes. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
