/** Origin of the text from an offset to the next mark. */
export type TextMark = {
  /** Offset in UTF-16 units, from the start of the text. */
  readonly offset: number;
  /** Page, from 1. */
  readonly page?: number;
  /** Row of the line that begins here, from 1, as a spreadsheet counts; each line after it is the next row. */
  readonly row?: number;
  /** Line of the file, from 1; each line of text after it is the next line. */
  readonly line?: number;
  readonly sheet?: string;
};
