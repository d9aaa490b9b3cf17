import { describe, expect, it } from "vitest";
import { applyHunks } from "../../../../src/tools/workspace/apply-hunks.ts";
import { readPatch } from "../../../../src/tools/workspace/patch.ts";

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join("");

/** The text that a patch of one file makes of another. */
function patched(text: string, patch: string): string {
  const [first] = readPatch(patch);
  if (first?.kind !== "update") throw new Error(JSON.stringify(first));
  return applyHunks(first.path, text, first.hunks);
}

describe("a patch between its marks", () => {
  it("adds, deletes, changes and moves files", () => {
    const patch = lines(
      "Here is the patch:",
      "*** Begin Patch",
      "*** Add File: docs/new.md",
      "+# New",
      "+",
      "*** Delete File: old.txt",
      "*** Update File: a.ts",
      "*** Move to: b.ts",
      "@@ function one() {",
      "   keep();",
      "-  before();",
      "+  after();",
      "@@",
      "-last",
      "*** End of File",
      "*** End Patch",
      "and that is it",
    );
    expect(readPatch(patch)).toEqual([
      { kind: "add", path: "docs/new.md", content: "# New\n\n" },
      { kind: "delete", path: "old.txt" },
      {
        kind: "update",
        path: "a.ts",
        to: "b.ts",
        hunks: [
          {
            number: 1,
            anchor: "function one() {",
            old: ["  keep();", "  before();"],
            new: ["  keep();", "  after();"],
          },
          { number: 2, old: ["last"], new: [], isEnd: true },
        ],
      },
    ]);
  });

  it("finds its place by the surrounding lines", () => {
    const text = lines("a", "same", "b", "same", "c", "same", "end");
    const update = (...body: string[]): string =>
      lines("*** Begin Patch", "*** Update File: f", ...body, "*** End Patch");
    expect(patched(text, update("@@ b", "-same", "+new"))).toBe(text.replace("b\nsame", "b\nnew"));
    expect(patched(text, update("-same", "+1", "@@", "-same", "+2"))).toBe(
      lines("a", "1", "b", "2", "c", "same", "end"),
    );
    expect(patched(text, update("-end", "+END", "*** End of File"))).toBe(
      text.replace("end", "END"),
    );
    expect(patched(text, update("@@ c", "+more"))).toBe(text.replace("c\n", "c\nmore\n"));
    expect(patched(text, update("+at the end"))).toBe(`${text}at the end\n`);
    expect(() => patched(text, update("-a", "+A", "*** End of File"))).toThrow("does not fit");
  });
});

describe("a unified diff", () => {
  it("adds, deletes, changes and moves files", () => {
    const patch = lines(
      "diff --git a/x.txt b/x.txt",
      "index 1..2 100644",
      "--- a/x.txt\t2026-01-01",
      "+++ b/x.txt\t2026-01-02",
      "@@ -1,3 +1,3 @@ heading",
      " one",
      "-two",
      "+TWO",
      " three",
      "\\ No newline at end of file",
      "--- /dev/null",
      "+++ b/new.txt",
      "@@ -0,0 +1,2 @@",
      "+a",
      "+b",
      "--- a/old.txt",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-gone",
      "diff --git a/from.txt b/to.txt",
      "similarity index 100%",
      "rename from from.txt",
      "rename to to.txt",
    );
    expect(readPatch(patch)).toEqual([
      {
        kind: "update",
        path: "x.txt",
        hunks: [{ number: 1, at: 0, old: ["one", "two", "three"], new: ["one", "TWO", "three"] }],
      },
      { kind: "add", path: "new.txt", content: "a\nb\n" },
      { kind: "delete", path: "old.txt" },
      { kind: "update", path: "from.txt", to: "to.txt", hunks: [] },
    ]);
  });

  it("fits at the place of its lines, also near its stated line", () => {
    const text = lines(...Array.from({ length: 30 }, (_, index) => `line ${index % 10}`));
    const patch = (at: number): string =>
      lines(
        "--- a/f",
        "+++ b/f",
        `@@ -${at},3 +${at},3 @@`,
        " line 4",
        "-line 5",
        "+FIVE",
        " line 6",
      );
    const place = (at: number): number => patched(text, patch(at)).split("\n").indexOf("FIVE");
    expect([place(5), place(15), place(25)]).toEqual([5, 15, 25]);
    expect([place(1), place(12), place(18), place(30)]).toEqual([5, 15, 15, 25]);
  });

  it("goes on as far off as it began", () => {
    const text = lines(
      "new first",
      ...Array.from({ length: 20 }, (_, index) => (index % 5 === 0 ? "x" : `${index}`)),
    );
    const patch = lines(
      "--- f",
      "+++ f",
      "@@ -6,1 +6,1 @@",
      "-x",
      "+y",
      "@@ -16,1 +16,1 @@",
      "-x",
      "+z",
    );
    const changed = patched(text, patch).split("\n");
    expect([changed.indexOf("y"), changed.indexOf("z")]).toEqual([6, 16]);
  });

  it("inserts lines at an empty range", () => {
    expect(patched(lines("a", "b"), lines("--- f", "+++ f", "@@ -1,0 +2,1 @@", "+between"))).toBe(
      lines("a", "between", "b"),
    );
  });

  it("keeps line ends, blanks and the missing end of the last line as they are in the file", () => {
    const patch = lines("--- f", "+++ f", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c", "");
    expect(patched("a\r\nb\r\nc\r\n", patch)).toBe("a\r\nB\r\nc\r\n");
    expect(patched("a  \nb\t\nc", patch)).toBe("a  \nB\nc");
    expect(patched("\ufeffx\na\nb\nc\n", patch)).toBe("\ufeffx\na\nB\nc\n");
  });
});

it("names a hunk that does not fit", () => {
  const patch = lines("--- f", "+++ f", "@@ -1 +1 @@", "-a", "+b", "@@ -3 +3 @@", "-missing", "+x");
  expect(() => patched(lines("a", "c"), patch)).toThrow(
    'hunk 2 of 2 for f does not fit: the file does not have these lines: "missing"',
  );
});

it.each([
  ["nothing of the kind", "expected `*** Begin Patch` or"],
  ["*** Begin Patch\n*** Add File: a\n+x", "`*** End Patch` is missing"],
  [
    "*** Begin Patch\n*** Frobnicate: a\n*** End Patch",
    "at line 2 expected a `*** … File:` section",
  ],
  ["*** Begin Patch\n*** Add File: a\nx\n*** End Patch", "expected a line that begins with +"],
  ["*** Begin Patch\n*** End Patch", "expected `*** Begin Patch` or"],
  ["x".repeat(1_048_577), "at most 1048576 characters"],
  [`*** Begin Patch\n${"*** Delete File: a\n".repeat(101)}*** End Patch`, "at most 100 files"],
])("%j cannot be read", (patch, message) => {
  expect(() => readPatch(patch)).toThrow(message);
});
