import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPattern } from "../../../src/base/linear-pattern.ts";
import { programOf } from "../../../src/base/linear-program.ts";
import { linearSpans } from "../../../src/base/linear-spans.ts";
import { readPattern } from "../../../src/base/linear-syntax.ts";
import { computedMs } from "../../support/computed-ms.ts";

const found = (pattern: string, text: string): readonly string[] | undefined =>
  linearPattern(pattern)
    ?.spans(text)
    .map(({ start, end }) => text.slice(start, end));

describe("LSP1: matches", () => {
  it.each<[string, string, readonly string[]]>([
    ["a+", "baac a", ["aa", "a"]],
    ["a|ab|abc", "abcab", ["abc", "ab"]],
    ["x*", "axxb", ["xx"]],
    ["^a|a$", "aba", ["a", "a"]],
    [String.raw`\bcat\b`, "cat concat cat", ["cat", "cat"]],
    [String.raw`\d{3}-\d{2}`, "id 123-45, 678-90", ["123-45", "678-90"]],
    ["(?i)secret", "Secret SECRET", ["Secret", "SECRET"]],
    ["(?m)^b$", "a\nb\nb", ["b", "b"]],
    ["😀.", "a😀😀b", ["😀😀"]],
    [String.raw`\u{1F600}`, "a😀b", ["😀"]],
    ["z", "abc", []],
    ["", "abc", []],
    [".+", "a\nb", ["a", "b"]],
  ])("of %s in %j", (pattern, text, matches) => {
    expect(found(pattern, text)).toEqual(matches);
  });

  it("are those of JavaScript for patterns without alternatives and laziness", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "[ab]",
      ".",
      "a+",
      "b*",
      "(?:ab)",
      "(?:ab)+",
      "^",
      "$",
      String.raw`\b`,
    );
    const pattern = fc.array(atom, { minLength: 1, maxLength: 5 }).map((atoms) => atoms.join(""));
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom("a", "b", " ", "\n") }),
        (source, text) => {
          const [first] = Array.from(
            text.matchAll(new RegExp(source, "gu")),
            ([match, ...rest]) => ({ match, rest }),
          ).filter(({ match }) => match !== "");
          const [own] = found(source, text) ?? [];
          expect(own !== undefined).toBe(first !== undefined);
          expect((own ?? "").length).toBeGreaterThanOrEqual(
            (first?.match ?? "").length === 0 ? 0 : 1,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("take no exponential time", () => {
    const began = computedMs();
    expect(found("(a+)+b", "a".repeat(20_000))).toEqual([]);
    expect(found("(a|a)*c|a", "a".repeat(300))).toHaveLength(300);
    expect(computedMs() - began).toBeLessThan(10_000);
  });
});

it("LSP2: beyond the budget the rest is one match", () => {
  const program = programOf(readPattern("a.*z|a"));
  const text = "a".repeat(1_000);
  const spans = linearSpans(program, text, 20_000);
  expect(spans.length).toBeGreaterThan(1);
  expect(spans.length).toBeLessThan(100);
  expect(spans.at(-1)?.end).toBe(text.length);
  expect(linearSpans(program, text)).toHaveLength(1_000);
});
