import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHUNK_RULES, chunksOf, type Chunking } from "../../../src/knowledge/chunk.ts";

const spansOf = (text: string, chunking: Chunking) =>
  chunksOf(text, chunking).map(({ start, end }) => [start, end]);
const textsOf = (text: string, chunking: Chunking) =>
  chunksOf(text, chunking).map(({ start, end }) => text.slice(start, end));
const long = (length: number) => "x".repeat(length);

describe("CH1: fixed windows", () => {
  it.each([
    [0, []],
    [3800, [[0, 3800]]],
    [
      3801,
      [
        [0, 3801],
        [3800, 3801],
      ],
    ],
    [
      4000,
      [
        [0, 4000],
        [3800, 4000],
      ],
    ],
    [
      7601,
      [
        [0, 4000],
        [3800, 7601],
        [7600, 7601],
      ],
    ],
    [
      10_000,
      [
        [0, 4000],
        [3800, 7800],
        [7600, 10_000],
      ],
    ],
  ])("of 4000 and 200 cut %i characters into %j", (length, spans) => {
    expect(spansOf(long(length), {})).toEqual(spans);
  });

  it("of 4 and 1 cut 10 characters with a last one that is part of the one before", () => {
    expect(spansOf(long(10), { size: 4, overlap: 1 })).toEqual([
      [0, 4],
      [3, 7],
      [6, 10],
      [9, 10],
    ]);
  });
});

describe("CH2: windows that end with lines", () => {
  it.each([
    [
      long(25),
      { size: 10, overlap: 2 },
      [
        [0, 10],
        [8, 18],
        [16, 25],
      ],
    ],
    [
      "12345678\nabcdefgh\nABCDEFGH",
      { size: 12, overlap: 3 },
      [
        [0, 9],
        [6, 18],
        [15, 26],
      ],
    ],
  ])("cut %j by %j into %j", (text, measure, spans) => {
    expect(spansOf(text, { rule: "lines", ...measure })).toEqual(spans);
  });
});

describe("CH3: the recursive rule", () => {
  it("cuts words, and keeps whole ones as overlap", () => {
    const cut = textsOf("aaa bbb ccc ddd eee", { rule: "recursive", size: 10, overlap: 3 });
    expect(cut).toEqual(["aaa bbb", " bbb ccc", " ccc ddd", " ddd eee"]);
  });

  it("prefers paragraphs to lines, lines to sentences, sentences to words", () => {
    const text = "One. Two.\nThree.\n\nFour four four. Five.";
    expect(textsOf(text, { rule: "recursive", size: 22, overlap: 0 })).toEqual([
      "One. Two.\nThree.\n\n",
      "Four four four. Five.",
    ]);
    expect(textsOf(text, { rule: "recursive", size: 16, overlap: 0 })).toEqual([
      "One. Two.\n",
      "Three.\n\n",
      "Four four four.",
      " Five.",
    ]);
  });

  it("cuts a word that is too long", () => {
    expect(spansOf(long(25), { rule: "recursive", size: 10, overlap: 0 })).toEqual([
      [0, 10],
      [10, 20],
      [20, 25],
    ]);
  });
});

describe("CH4: the Markdown rule", () => {
  const text = [
    "Before.",
    "",
    "# Guide",
    "Intro.",
    "## Install",
    "Run this:",
    "```sh",
    "# not a heading",
    "npm i",
    "```",
    "## Use",
    "Just so.",
    "# Annex #",
    "End.",
  ].join("\n");

  it("cuts at headings, and tells of each chunk the headings above it", () => {
    expect(chunksOf(text, { rule: "markdown" }).map(({ heading }) => heading)).toEqual([
      undefined,
      "Guide",
      "Guide > Install",
      "Guide > Use",
      "Annex",
    ]);
    expect(textsOf(text, { rule: "markdown" })[2]).toContain("# not a heading\nnpm i\n```");
  });

  it("is taken for Markdown by itself", () => {
    expect(chunksOf(text, { format: "markdown" })).toEqual(chunksOf(text, { rule: "markdown" }));
  });

  it("cuts a section that is too long, each part under its heading", () => {
    const spans = chunksOf(`# A\n${"word ".repeat(40)}`, {
      rule: "markdown",
      size: 100,
      overlap: 0,
    });
    expect(spans.length).toBeGreaterThan(1);
    expect(new Set(spans.map(({ heading }) => heading))).toEqual(new Set(["A"]));
  });
});

describe("CH5: every rule", () => {
  it("gives slices of at most the size that cover everything but blanks", () => {
    const parts = fc.constantFrom("a", "bb", "ccc. ", "\n", "\n\n", "# ", " ", "```\n");
    const cuts = fc.record({
      text: fc.array(parts, { maxLength: 80 }).map((each) => each.join("")),
      rule: fc.constantFrom(...CHUNK_RULES),
      size: fc.integer({ min: 1, max: 20 }),
      over: fc.nat(19),
    });
    fc.assert(
      fc.property(cuts, ({ text, rule, size, over }) => {
        const spans = chunksOf(text, { rule, size, overlap: Math.min(over, size - 1) });
        const covered = new Set<number>();
        for (const { start, end } of spans) {
          expect(end - start).toBeLessThanOrEqual(size);
          expect(end).toBeGreaterThan(start);
          for (let at = start; at < end; at++) covered.add(at);
        }
        const left = text
          .split("")
          .filter((letter, at) => letter.trim() !== "" && !covered.has(at));
        expect(left).toEqual([]);
      }),
    );
  });

  it.each([
    [{ size: 0 }, /chunking.size .* got 0/],
    [
      { size: 10, overlap: 10 },
      /chunking.overlap must be an integer from 0 to less than the size, 10, got 10/,
    ],
    [{ overlap: -1 }, /overlap/],
    [{ size: 1.5 }, /size/],
    [{ rule: "words" as "lines" }, /chunking.rule must be one of window, lines/],
  ])("refuses %j", (chunking, message) => {
    expect(() => chunksOf("x", chunking)).toThrow(message);
  });
});
