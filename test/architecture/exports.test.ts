// Exports without a reader. A name that only tests read is either no part of the program, or hides the public way.
import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lonelyExports } from "../support/lonely-exports.ts";
import { readSource, sourceFiles } from "../support/source-files.ts";

/** Maximum number of values that are exported and read nowhere but in tests. It may only fall. */
const MAX_LONELY = 1;

describe("exports", () => {
  it("are read outside of tests: delete the name, or test the public way", () => {
    const others = globSync("{console,scripts,bench,create,examples}/**/*.{ts,tsx}", {
      exclude: (path) => path.includes("node_modules"),
    });
    const files = [
      ...sourceFiles("src", "durable-objects"),
      ...globSync("src/**/*.tsx"),
      ...others,
    ];
    const lonely = lonelyExports(new Map(files.map((file) => [file, readSource(file)])));
    const own = lonely.filter(({ at }) => at.startsWith("src/"));
    expect(own.length > MAX_LONELY ? own : []).toEqual([]);
  });
});

describe("lonelyExports", () => {
  const lonely = (files: Readonly<Record<string, string>>) =>
    lonelyExports(new Map(Object.entries(files))).map(({ at, name }) => `${at}:${name}`);

  it("finds values that are named once in all files", () => {
    const files = {
      "a.ts": "export function used() {}\nexport const lone = 1;",
      "b.ts": "used();",
    };
    expect(lonely(files)).toEqual(["a.ts:lone"]);
  });

  it("leaves out values of their own file, and types", () => {
    expect(lonely({ "a.ts": "export class A {}\nnew A();\nexport type T = 1;" })).toEqual([]);
  });
});
