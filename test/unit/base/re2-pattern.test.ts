import { RE2JS } from "@bufbuild/re2";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { re2Pattern } from "../../../src/base/linear-pattern.ts";

const raw = String.raw;

const set = fc.constantFrom(
  raw`\d`,
  raw`\D`,
  raw`\w`,
  raw`\W`,
  raw`\s`,
  raw`\S`,
  raw`\pL`,
  raw`\p{Greek}`,
);
const letter = fc.constantFrom(
  "a",
  "B",
  "k",
  "ß",
  "é",
  "1",
  "_",
  " ",
  "-",
  "😀",
  raw`\n`,
  raw`\r`,
  raw`\x61`,
  raw`\.`,
  raw`\x{1F600}`,
  raw`\v`,
  raw`\101`,
  raw`\Qa.b\E`,
);
const inClass = fc.oneof(
  set,
  fc.constantFrom("a-k", "A-Z", "[:alpha:]", "[:^digit:]", "[:space:]", "é", "_", raw`\n`, raw`\-`),
);
const one = fc.oneof(
  letter,
  set,
  fc.constant("."),
  fc
    .tuple(fc.constantFrom("", "^"), fc.array(inClass, { minLength: 1, maxLength: 3 }))
    .map(([not, inside]) => `[${not}${inside.join("")}]`),
);
const edge = fc.constantFrom("^", "$", raw`\b`, raw`\B`, raw`\A`, raw`\z`);
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
            .tuple(
              fc.constantFrom("(", "(?:", "(?i:", "(?s:", "(?m:", "(?im-s:", "(?P<n>", "(?U:"),
              tie("pattern"),
            )
            .map(([open, inside]) => `${open}${inside})`),
        ),
        fc.constantFrom("", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}"),
      )
      .map(([inside, times]) => `${inside}${times}`),
  ),
  pattern: fc
    .array(fc.array(tie("item"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((choices) => choices.map((items) => items.join("")).join("|")),
}));
const flags = fc.constantFrom("", "", "(?i)", "(?m)", "(?s)", "(?ims)");
const words = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "A",
      "B",
      "K",
      "\u{212A}",
      "ſ",
      "s",
      "ß",
      "é",
      "É",
      "λ",
      "1",
      "_",
      "-",
      " ",
      "\n",
      "\r",
      "\u2028",
      "\u00A0",
      "\v",
      ".",
      "😀",
    ),
    { maxLength: 8 },
  )
  .map((letters) => letters.join(""));

describe("patterns of RE2", () => {
  it("match as the reference does, and are refused where it refuses them", () => {
    fc.assert(
      fc.property(
        flags,
        pattern,
        fc.array(words, { minLength: 3, maxLength: 6 }),
        (flag, body, texts) => {
          const source = `${flag}${body}`;
          let reference: RE2JS;
          try {
            reference = RE2JS.compile(source);
          } catch {
            return;
          }
          const ours = re2Pattern(source);
          for (const each of texts)
            expect([source, each, ours.test(each)]).toEqual([source, each, reference.test(each)]);
        },
      ),
      { numRuns: Number(process.env["RE2_RUNS"] ?? 3000) },
    );
  });

  it.each([
    ["a.b", "a\rb", true],
    ["a.b", "a\nb", false],
    ["(?m)^b$", "a\rb", false],
    ["(?m)^b$", "a\nb\nc", true],
    [raw`^\s$`, "\u00A0", false],
    [raw`^\s$`, "\v", false],
    [raw`(?i)^\w$`, "\u{212A}", true],
    [raw`(?i)^\W$`, "\u{212A}", false],
    ["^[[:^digit:]\\d]$", "a", true],
    [raw`(?i)^[\w]$`, "\u{212A}", true],
    ["(?i)^k$", "\u{212A}", true],
  ])("%s of %j is %s", (source, text, expected) => {
    expect(re2Pattern(source).test(text)).toBe(expected);
    expect(RE2JS.compile(source).test(text)).toBe(expected);
  });

  it.each([
    "(",
    "a**",
    "(?=a)",
    raw`(a)\1`,
    "[b-a]",
    "[]",
    "[^]",
    "a{2,1}",
    "(?P<n>",
    raw`\p{Nope}`,
  ])("refuses %s, as the reference does", (source) => {
    expect(() => re2Pattern(source)).toThrow(SyntaxError);
    expect(() => RE2JS.compile(source)).toThrow(Error);
  });

  it("refuses a pattern beyond the limits with its reason", () => {
    expect(() => re2Pattern("a".repeat(5000))).toThrow("longer than 4096 characters");
    expect(() => re2Pattern("(a{1000}){1000}")).toThrow("repetitions are too large");
  });
});
