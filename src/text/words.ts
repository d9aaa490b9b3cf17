// Words of a text without stems, for comparing and counting.
import { foldText } from "./fold.ts";
import { numberForms } from "./numbers.ts";
import { isWord, piecesOf, tokensOf, type Piece } from "./pieces.ts";

/** Words whose letters are in scripts with spaces. */
const SPACED = /^[a-z\d\u00c0-\u0dff]+$/;

/**
 * Returns the folded words of a text in order. Identifiers and numbers are split at their signs; runs of scripts without
 * spaces, Korean words, and digits beside them are pieces of their own.
 */
export function wordPieces(text: string): readonly Piece[] {
  return tokensOf(foldText(text)).flatMap((token) =>
    isWord(token)
      ? [{ kind: "latin", text: token } as const]
      : token
          .split(/[-_.,']/)
          .flatMap((part) =>
            SPACED.test(part) ? [{ kind: "latin", text: part } as const] : piecesOf(part),
          ),
  );
}

/**
 * Returns the folded words of a text in order, with repetitions. A number is one word in its likeliest reading; in
 * scripts without spaces, and in Korean, each character is a word.
 */
export function wordsOf(text: string): readonly string[] {
  return tokensOf(foldText(text)).flatMap((token) => {
    if (isWord(token)) return [token];
    if (SPACED.test(token)) return [token];
    return token
      .split(/[-_]|(?<!\d)[.,']|[.,'](?!\d)/)
      .flatMap((part) => (SPACED.test(part) ? [part] : piecesOf(part).flatMap(wordsOfPiece)));
  });
}

function wordsOfPiece({ kind, text }: Piece): readonly string[] {
  if (kind === "latin") return [text];
  if (kind === "number") return numberForms(text).slice(0, 1);
  return Array.from(text);
}
