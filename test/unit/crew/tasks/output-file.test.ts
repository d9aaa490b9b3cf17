import { describe, expect, it } from "vitest";
import { checkOutputFile } from "../../../../src/crew/tasks/output-file.ts";

describe("checkOutputFile", () => {
  it.each([
    ["out/report.md", "out/report.md"],
    ["/abs/a.md", "abs/a.md"],
    ["out/{topic}.md", "out/{topic}.md"],
    ["/out/{topic}.md", "/out/{topic}.md"],
    ["./a.md", "./a.md"],
    ["{dir}/{name}.md", "{dir}/{name}.md"],
  ])("CF2: takes %s", (path, expected) => {
    expect(checkOutputFile(path)).toBe(expected);
  });

  it.each([
    "../a",
    "a/../b",
    "~/a",
    "$HOME/a",
    "a;b",
    "a|b",
    "a>b",
    "a<b",
    "a&b",
    "{1x}.md",
    "{}.md",
    "{a",
    "",
    " ",
    "a\\b",
    "a\nb",
    "a//b.md",
    "//a",
    "/",
    "reports/",
    ".",
    "a/./b.md",
    "a".repeat(256),
    `${"é".repeat(128)}.md`,
    "a".repeat(1_025),
  ])("CF2: refuses %j", (path) => {
    expect(() => checkOutputFile(path)).toThrow(
      expect.objectContaining({ code: "invalid_definition" }),
    );
  });

  it("names the refused path, with the caller's error code", () => {
    expect(() => checkOutputFile("out/../x.md", "invalid_input")).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: 'outputFile must not contain "..", got "out/../x.md"',
      }),
    );
  });
});
