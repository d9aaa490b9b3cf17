import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHUNK_RULES, chunksOf, type Chunking } from "../../../src/knowledge/chunk.ts";

const spansOf = (text: string, chunking: Chunking) =>
  [...chunksOf({ text }, chunking)].map(({ start, end }) => [start, end]);
const textsOf = (text: string, chunking: Chunking) =>
  [...chunksOf({ text }, chunking)].map(({ start, end }) => text.slice(start, end));
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
    expect(spansOf(long(length), { rule: "window" })).toEqual(spans);
  });

  it("of 4 and 1 cut 10 characters, the last one within the one before", () => {
    expect(spansOf(long(10), { rule: "window", size: 4, overlap: 1 })).toEqual([
      [0, 4],
      [3, 7],
      [6, 10],
      [9, 10],
    ]);
  });
});

describe("CH2: windows ending with lines", () => {
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

  it("cuts an overlong word", () => {
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

  it("cuts at headings, and gives each chunk the headings above it", () => {
    expect([...chunksOf({ text }, { rule: "markdown" })].map(({ heading }) => heading)).toEqual([
      undefined,
      "Guide",
      "Guide > Install",
      "Guide > Use",
      "Annex",
    ]);
    expect(textsOf(text, { rule: "markdown" })[2]).toContain("# not a heading\nnpm i\n```");
  });

  it("is taken for Markdown by itself", () => {
    expect([...chunksOf({ text, format: "markdown" })]).toEqual([
      ...chunksOf({ text }, { rule: "markdown" }),
    ]);
  });

  it("cuts an overlong section, each part under its heading", () => {
    const one = `# A\n${"word ".repeat(40)}`;
    const spans = [...chunksOf({ text: one }, { rule: "markdown", size: 100, overlap: 0 })];
    expect(spans.length).toBeGreaterThan(1);
    expect(new Set(spans.map(({ heading }) => heading))).toEqual(new Set(["A"]));
  });
});

describe("CH6: blocks", () => {
  const paragraph = (index: number) =>
    `Paragraph ${index}: ${"the quick fox ".repeat(5 + ((index * 7) % 23))}ends here.\n\n`;
  const paragraphs = Array.from({ length: 300 }, (_, index) => paragraph(index));
  const rows = Array.from(
    { length: 3000 },
    (_, index) => `item${index} ${(index * 37) % 1000} EUR\n`,
  );
  const sentences = [paragraphs.join("").replaceAll(/\n+/g, " ")];
  /** How many chunks of the changed text are new. */
  const changed = (before: string, after: string): readonly [changed: number, all: number] => {
    const known = new Set(textsOf(before, {}));
    const now = textsOf(after, {});
    return [now.filter((each) => !known.has(each)).length, now.length];
  };

  it.each([
    ["paragraphs", paragraphs],
    ["rows", rows],
    ["sentences without a line break", sentences],
  ])("KI2: of %s change near a change alone", (_, parts) => {
    const text = parts.join("");
    const middle = text.indexOf(" ", text.length / 2);
    for (const after of [
      `One line more at the top.\n${text}`,
      `${text.slice(0, middle)} and this ${text.slice(middle)}`,
      text.slice(0, middle - 700) + text.slice(middle),
      `${text}One line more at the end.\n`,
    ]) {
      const [fresh, all] = changed(text, after);
      expect(all).toBeGreaterThan(15);
      expect(fresh).toBeLessThanOrEqual(6);
    }
  });

  it("are whole paragraphs, when these fit", () => {
    for (const text of textsOf(paragraphs.join(""), { overlap: 0 })) {
      expect(text).toMatch(/^Paragraph/);
      expect(text).toMatch(/ends here\.\n\n$/);
    }
  });

  it("are not much smaller than they may be", () => {
    const lengths = textsOf(rows.join(""), {}).map(({ length }) => length);
    const mean = lengths.reduce((sum, each) => sum + each, 0) / lengths.length;
    expect(mean).toBeGreaterThan(2000);
  });

  it("of the same line many times are made", () => {
    expect(textsOf("same\n".repeat(10_000), {}).length).toBeLessThan(20);
  });

  it("of a text of line breaks and single letters are made one by one", () => {
    const made = chunksOf({ text: "a\n".repeat(2_000_000) }, { size: 1, overlap: 0 });
    expect([made.next().value, made.next().value]).toEqual([
      { start: 0, end: 1 },
      { start: 2, end: 3 },
    ]);
  });
});

describe("CH7: pages and sheets", () => {
  const pages = (lengths: readonly number[]) => {
    let text = "";
    const marks = lengths.map((length, index) => {
      const offset = text.length;
      text += `${"word ".repeat(length / 5)}\n`;
      return { offset, page: index + 1 };
    });
    return { text, marks };
  };

  it.each(CHUNK_RULES)("are not crossed by the rule %s", (rule) => {
    const document = pages([500, 500, 9000, 500]);
    for (const { start, end } of chunksOf(document, { rule }))
      expect(document.marks.filter(({ offset }) => offset > start && offset < end)).toEqual([]);
  });

  it("with little text join the next page, but not the next sheet", () => {
    const document = pages([50, 500, 50, 50, 900]);
    expect([...chunksOf(document)].map(({ start }) => start)).toEqual([
      0,
      document.marks[2]?.offset,
    ]);
    const sheets = document.marks.map(({ offset, page }) => ({
      offset,
      sheet: `S${page}`,
      row: 1,
    }));
    expect([...chunksOf({ ...document, marks: sheets })]).toHaveLength(5);
  });
});

describe("CH5: every rule", () => {
  it("yields slices up to the size that cover all but blanks", () => {
    const parts = fc.constantFrom("a", "bb", "ccc. ", "\n", "\n\n", "# ", " ", "```\n");
    const cuts = fc.record({
      text: fc.array(parts, { maxLength: 80 }).map((each) => each.join("")),
      rule: fc.constantFrom(...CHUNK_RULES),
      size: fc.integer({ min: 1, max: 20 }),
      over: fc.nat(19),
    });
    fc.assert(
      fc.property(cuts, ({ text, rule, size, over }) => {
        const spans = [...chunksOf({ text }, { rule, size, overlap: Math.min(over, size - 1) })];
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
    [{ rule: "words" as "lines" }, /chunking.rule must be one of blocks, window/],
  ])("refuses %j", (chunking, message) => {
    expect(() => [...chunksOf({ text: "x" }, chunking)]).toThrow(message);
  });
});
