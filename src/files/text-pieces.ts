export type PieceOptions = {
  /** Length of one piece, in UTF-16 units. @default 100_000 */
  readonly size?: number;
  /** Overlap of one piece with the next; at most a quarter of the size. @default 200 */
  readonly overlap?: number;
};

const SIZE = 100_000;
const OVERLAP = 200;

/** Splits a text into overlapping pieces. A piece ends at a line end in its second half, if there is one. */
export function textPieces(
  text: string,
  { size = SIZE, overlap = OVERLAP }: PieceOptions = {},
): readonly string[] {
  const shared = Math.min(overlap, Math.floor(size / 4));
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const end = endOfPiece(text, from, size);
    pieces.push(text.slice(from, end));
    if (end >= text.length) return pieces;
    from = wholeLetter(text, Math.max(end - shared, from + 1));
  }
}

function endOfPiece(text: string, from: number, size: number): number {
  if (text.length - from <= size) return text.length;
  const line = text.lastIndexOf("\n", from + size - 1);
  return line >= from + Math.floor(size / 2) ? line + 1 : wholeLetter(text, from + size);
}

/** Moves an offset out of a surrogate pair. */
function wholeLetter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
