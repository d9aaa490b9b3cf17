import { describe, expect, it } from "vitest";
import { piecesOf } from "../../../../../src/tools/catalog/base/messages.ts";

describe("PCE1: a text in pieces", () => {
  it("is one piece when it fits", () => {
    expect(piecesOf("Hello\nthere", 11)).toEqual(["Hello\nthere"]);
  });

  it("is cut at line ends, else at blanks, else anywhere", () => {
    expect(piecesOf("one two\nthree four", 12)).toEqual(["one two", "three four"]);
    expect(piecesOf("one two three", 8)).toEqual(["one two", "three"]);
    expect(piecesOf("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
  });

  it("loses only the separators at which it is cut", () => {
    const text = Array.from({ length: 400 }, (_, index) => `line ${index}`).join("\n");
    const pieces = piecesOf(text, 500);
    expect(pieces.join("\n")).toBe(text);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(500);
  });

  it("cuts no character in two", () => {
    const pieces = piecesOf("a😀😀😀", 2);
    expect(pieces.join("")).toBe("a😀😀😀");
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it("has no blank pieces", () => {
    expect(piecesOf(" \n ", 10)).toEqual([]);
    expect(piecesOf(`abc${"\n".repeat(10)}def`, 4)).toEqual(["abc\n", "def"]);
  });
});
