// Terms of one piece of text, in documents and in questions.
import { unreachable } from "../base/error.ts";
import { numberForms } from "./numbers.ts";
import type { Piece } from "./pieces.ts";
import { stemOf, withoutParticle } from "./stems.ts";

/** Returns the terms of a piece in a document. */
export function documentTerms({ kind, text }: Piece): readonly string[] {
  switch (kind) {
    case "latin":
      return [stemOf(text)];
    case "number":
      return numberForms(text);
    case "han":
      return [...Array.from(text), ...sequences(text, 2)];
    case "hiragana":
      return sequences(text, 2);
    case "katakana":
      return katakanaTerms(text);
    case "hangul": {
      const stem = withoutParticle(text);
      return stem.length === 1 ? [stem, ...sequences(text, 2)] : sequences(text, 2);
    }
    case "thai":
      return [...sequences(text, 2), ...sequences(text, 3)];
    default:
      return unreachable(kind);
  }
}

/** Returns the terms of a piece in a question: a part of its terms in a document. */
export function questionTerms({ kind, text }: Piece): readonly string[] {
  const length = Array.from(text).length;
  switch (kind) {
    case "latin":
      return [stemOf(text)];
    case "number":
      return numberForms(text).slice(0, 1);
    case "han":
      return length === 1 ? [text] : sequences(text, 2);
    case "hiragana":
      return sequences(text, 2);
    case "katakana":
      return katakanaTerms(text);
    case "hangul": {
      const stem = withoutParticle(text);
      return stem.length === 1 ? [stem] : sequences(stem, 2);
    }
    case "thai":
      return sequences(text, length <= 2 ? 2 : 3);
    default:
      return unreachable(kind);
  }
}

/** Returns pairs of characters; one character stays. The letters are those of hiragana. */
function katakanaTerms(text: string): readonly string[] {
  const plain = text.replaceAll(/[ァ-ヶ]/g, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) - 0x60),
  );
  return plain.length === 1 ? [plain] : sequences(plain, 2);
}

/** Returns all sequences of so many characters. */
function sequences(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  return characters
    .slice(0, Math.max(0, characters.length - size + 1))
    .map((_, start) => characters.slice(start, start + size).join(""));
}
