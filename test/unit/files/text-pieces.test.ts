import { describe, expect, it } from "vitest";
import { textPieces } from "../../../src/files/text-pieces.ts";

const letters = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(0x100 + index)).join("");
/** Where each piece begins and ends in the text. */
const spans = (text: string, pieces: readonly string[]) =>
  pieces.map((piece) => [text.indexOf(piece), text.indexOf(piece) + piece.length]);

describe("pieces of a text", () => {
  it("overlap by a quarter of their size at most (FT25)", () => {
    const text = letters(1000);
    expect(spans(text, textPieces(text, { size: 400 }))).toEqual([
      [0, 400],
      [300, 700],
      [600, 1000],
    ]);
  });

  it("never become one per character (FT26)", () => {
    const text = letters(1000);
    const pieces = textPieces(text, { size: 200, overlap: 200 });
    expect(pieces).toHaveLength(7);
    expect(spans(text, pieces).slice(0, 2)).toEqual([
      [0, 200],
      [150, 350],
    ]);
    expect(textPieces(text, { size: 1, overlap: 5 })).toHaveLength(1000);
  });

  it("end after a line break in their second half (FT27)", () => {
    const text = `${"a".repeat(250)}\n${"b".repeat(400)}`;
    expect(textPieces(text, { size: 400 })[0]).toBe(`${"a".repeat(250)}\n`);
    const early = `${"a".repeat(150)}\n${"b".repeat(400)}`;
    expect(textPieces(early, { size: 400 })[0]).toHaveLength(400);
  });

  it("split no surrogate pair, and lose no character", () => {
    const text = "😀".repeat(500);
    const pieces = textPieces(text, { size: 101, overlap: 0 });
    expect(pieces.join("")).toBe(text);
    for (const piece of pieces) expect(piece).toMatch(/^(?:😀)+$/u);
  });

  it("of a short text is that text", () => {
    expect(textPieces("short")).toEqual(["short"]);
    expect(textPieces("")).toEqual([""]);
  });
});
