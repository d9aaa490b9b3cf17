import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPattern } from "../../../src/base/linear-pattern.ts";
import { computedMs } from "../../support/computed-ms.ts";

const raw = String.raw;

const CHARACTERS = ["a", "b", "A", "K", "ß", "1", "_", "-", " ", "\n", "\r", "😀", "é"];

const character = fc.constantFrom(
  "a",
  "b",
  "A",
  "k",
  "é",
  "😀",
  raw`\n`,
  raw`\-`.slice(1),
  raw`\x61`,
  raw`\u0062`,
  raw`\u{1F600}`,
  raw`\uD83D\uDE00`,
  raw`\cJ`,
  raw`\/`,
  raw`\.`,
);
const set = fc.constantFrom(raw`\d`, raw`\D`, raw`\w`, raw`\W`, raw`\s`, raw`\S`, raw`\p{L}`);
const inClass = fc.oneof(
  set,
  fc.constantFrom("a", "é", "😀", raw`\-`, raw`\]`, raw`\b`, raw`\n`, raw`\u{1F600}`, "^a"),
  fc.constantFrom("a-k", "A-Z", raw`\x61-\x62`, raw`\t-\r`, "a-😀"),
);
const one = fc.oneof(
  character,
  set,
  fc.constant("."),
  fc
    .tuple(fc.constantFrom("", "^"), fc.array(inClass, { maxLength: 3 }))
    .map(([not, inside]) => `[${not}${inside.join("")}]`),
);
const edge = fc.constantFrom("^", "$", raw`\b`, raw`\B`);
const { pattern } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: "small" },
    one,
    edge,
    fc
      .tuple(
        fc.oneof(
          one,
          fc
            .tuple(fc.constantFrom("(", "(?:", "(?s:", "(?m-s:"), tie("pattern"))
            .map(([open, inside]) => `${open}${inside})`),
        ),
        fc.constantFrom("", "", "*", "+", "?", "*?", "+?", "{2}", "{0}", "{0,2}", "{1,}", "{1,3}?"),
      )
      .map(([inside, times]) => `${inside}${times}`),
  ),
  pattern: fc
    .array(
      fc.array(tie("item"), { maxLength: 4 }).map((items) => items.join("")),
      { minLength: 1, maxLength: 2 },
    )
    .map((options) => options.join("|")),
}));
const text = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 8 });

/** V8 takes the middle of a pair of surrogates for a place where `\B` can be. */
function isTold(source: string, each: string): boolean {
  return !(source.includes(raw`\B`) && each.includes("😀"));
}

describe("a linear pattern", () => {
  it("matches like JavaScript's pattern", () => {
    const texts = fc.array(text, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(pattern, fc.constantFrom("", "i", "s", "ms"), texts, (source, flags, all) => {
        const native = new RegExp(source, `u${flags}`);
        const linear = linearPattern(flags === "" ? source : `(?${flags})${source}`);
        const told = all.filter((each) => isTold(source, each));
        expect(told.map((each) => [each, linear?.test(each)])).toEqual(
          told.map((each) => [each, native.test(each)]),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("finds spans for every text with a match that is not empty", () => {
    fc.assert(
      fc.property(pattern, text, (source, each) => {
        const matches = Array.from(each.matchAll(new RegExp(source, "gu")), ([match]) => match);
        fc.pre(isTold(source, each) && matches.some((match) => match !== ""));
        expect(linearPattern(source)?.spans(each).length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["(?i)secret", "my SECRET", "my"],
    ["(?i)^k$", "\u212A", "a"],
    ["a(?i)b|c", "C", "A"],
    ["(a(?i)b)c", "aBc", "aBC"],
    ["(?s)a.b", "a\nb", "ab"],
    ["(?m)^b$", "a\nb", "ab"],
    [raw`\Aab\z`, "ab", "ab\n"],
    ["(?P<name>a)b", "ab", "a"],
    [raw`^\pL+$`, "größe", "1"],
    [raw`^\P{Greek}$`, "a", "α"],
    ["^[[:alpha:][:digit:]_]+$", "aB3_", "a-b"],
    ["^[[:^alpha:]x]+$", "1x_", "a"],
    ["^[^[:^alpha:]x]+$", "ab", "x"],
    ["^[]a]+$", "a]", "b"],
    ["^[^]a]+$", "b", "]"],
    [raw`^\Qa.b\E+$`, "a.bb", "axb"],
    [raw`^\101\07$`, "A\u0007", "101"],
    ["(?U)^a+$", "aa", "b"],
    [raw`^\x{1F600}$`, "😀", "a"],
    ["^{$|^a{,2}]}$", "a{,2}]}", "a"],
    [raw`^[\w-.]+$`, "a-.", "a+"],
  ])("%s is read as other languages have it", (source, good, bad) => {
    const linear = linearPattern(source);
    expect(linear?.test(good)).toBe(true);
    expect(linear?.test(bad)).toBe(false);
  });

  it.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)",
    "(?<!a)",
    raw`(a)\1`,
    raw`(?<a>b)\k<a>`,
    "(",
    ")",
    "a)",
    "[a",
    "[b-a]",
    "*",
    "a**",
    "a{2}{3}",
    "a{3,2}",
    "(?x)a",
    raw`\q`,
    raw`\p{Nothing}`,
    raw`a${"\\"}`,
    raw`\u{110000}`,
    "a{3001}",
    "(?:(?:a{100}){100}){100}",
    "(?:){100000000}",
    "(?:(?:){100000}){100000}",
    `${"(".repeat(2_000)}${")".repeat(2_000)}`,
    "a".repeat(4_097),
  ])("is not made of %s", (source) => {
    const began = computedMs();
    expect(linearPattern(source)).toBeUndefined();
    expect(computedMs() - began).toBeLessThan(1_000);
  });

  it.each([
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(a*)*$",
    "(((a*)*)*)*$",
    "(.*a){20}$",
    "(a?){100}a{100}$",
    raw`([a-z]+\s?)*$`,
    raw`\s*\s*\s*\s*$`,
    "(?i)(?:a|A|[aA])+$",
    "(|a)+$",
    "(?:(?:a?){5}){5}$",
  ])("%s takes linear time", (source) => {
    const linear = linearPattern(source);
    for (const [unit, end] of [
      ["a", "!"],
      [" ", "!"],
    ] as const) {
      const followed = (length: number): number => {
        let sum = 0;
        linear?.test(`${unit.repeat(length)}${end}`, (count) => {
          sum += count;
        });
        return sum;
      };
      expect(followed(2_000)).toBeLessThanOrEqual(2.1 * followed(1_000));
      expect(followed(1_000)).toBeLessThanOrEqual(1_001 * 1_000);
    }
  });

  it.each([
    [800, "a property", () => raw`\p{L}`],
    [800, "a class", (index: number) => `[^${String.fromCodePoint(0x4e00 + index)}]`],
    [
      400,
      "a property and a letter",
      (index: number) => `[\\p{L}${String.fromCodePoint(index + 0x4e00)}]`,
    ],
    [180, "nearly all letters", (index: number) => raw`[\x{${index.toString(16)}}-\x{10ffff}]`],
  ])("is read in good time, also one of %d times %s", (times, _, part) => {
    const parts = Array.from({ length: times }, (_each, index) => part(index)).join("");
    const began = computedMs();
    for (const source of [parts, `(?i)${parts}`]) expect(linearPattern(source)).toBeDefined();
    for (const source of [`[${raw`\p{L}`.repeat(800)}]`, `[^${raw`\P{L}`.repeat(800)}]`])
      expect(linearPattern(source)?.test("é")).toBe(true);
    expect(computedMs() - began).toBeLessThan(1_000);
  });

  it("counts the members of a class", () => {
    const followed = (source: string): number => {
      let sum = 0;
      linearPattern(source)?.test("1".repeat(100), (count) => {
        sum += count;
      });
      return sum;
    };
    expect(followed(raw`^[\d]*$`)).toBeLessThan(500);
    expect(followed(raw`^[\d\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}]*$`)).toBeGreaterThan(600);
  });

  it("ends as soon as its budget is spent", () => {
    let left = 10_000;
    const spend = (followed: number): void => {
      left -= followed;
      if (left < 0) throw new Error("spent");
    };
    expect(() => linearPattern("(.*){1,500}z")?.test("x".repeat(1_000_000), spend)).toThrow(
      "spent",
    );
    expect(left).toBeGreaterThan(-10_000);
  });
});
