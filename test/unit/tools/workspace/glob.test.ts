import { expect, it } from "vitest";
import { globMatcher } from "../../../../src/tools/workspace/glob.ts";
import { computedMs } from "../../../support/computed-ms.ts";

const PATHS = [
  "a.md",
  "docs/a.md",
  "docs/b.txt",
  "docs/deep/c.md",
  "src/x.ts",
  "src/x.tsx",
  "src/[y].ts",
  "a+b.md",
];

it.each([
  ["*.md", ["a.md", "docs/a.md", "docs/deep/c.md", "a+b.md"]],
  ["docs/*.md", ["docs/a.md"]],
  ["/docs/*", ["docs/a.md", "docs/b.txt"]],
  ["./docs/*", ["docs/a.md", "docs/b.txt"]],
  ["docs/**", ["docs/a.md", "docs/b.txt", "docs/deep/c.md"]],
  ["**/*.md", ["a.md", "docs/a.md", "docs/deep/c.md", "a+b.md"]],
  ["docs/**/*.md", ["docs/a.md", "docs/deep/c.md"]],
  ["src/*.{ts,tsx}", ["src/x.ts", "src/x.tsx", "src/[y].ts"]],
  ["?.md", ["a.md", "docs/a.md", "docs/deep/c.md"]],
  ["[ab].*", ["a.md", "docs/a.md", "docs/b.txt"]],
  ["[!a].*", ["docs/b.txt", "docs/deep/c.md", "src/x.ts", "src/x.tsx"]],
  ["a+b.md", ["a+b.md"]],
  ["a.m.", []],
  ["(a|b).md", []],
])("%s finds %j", (pattern, expected) => {
  const matches = globMatcher(pattern);
  expect(PATHS.filter((path) => matches?.(path))).toEqual(expected);
});

it.each(["", "[a", "{a", "a}", "x".repeat(513)])("%j is not a pattern", (pattern) => {
  expect(globMatcher(pattern)).toBeUndefined();
});

it("takes bounded time for a hostile pattern", () => {
  const matches = globMatcher("**/".repeat(20) + "*a".repeat(30) + "b");
  const start = computedMs();
  matches?.(`${"a/".repeat(100)}${"a".repeat(200)}`);
  expect(computedMs() - start).toBeLessThan(1000);
});
