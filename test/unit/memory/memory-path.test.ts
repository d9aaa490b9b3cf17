import { describe, expect, it } from "vitest";
import {
  checkScopePath,
  isInScope,
  joinScopePaths,
  normalizeScopePath,
  sanitizeScopeName,
  withinScope,
  proposedPath,
} from "../../../src/memory/memory-path.ts";

describe("names and paths", () => {
  it.each([
    ["Research Crew", "research-crew"],
    ["Agent #1 (Main)", "agent-1-main"],
    ["café_worker", "caf-_worker"],
    ["  --  ", "unknown"],
    ["", "unknown"],
    ["Ünï", "n"],
    ["unknown", "unknown"],
    ["研究员", expect.stringMatching(/^unknown-[0-9a-f]{16}$/)],
    ["Sales 東京", expect.stringMatching(/^sales-[0-9a-f]{16}$/)],
  ])("sanitises %j to %j", (name, safe) => {
    expect(sanitizeScopeName(name)).toEqual(safe);
  });

  it("names of other scripts have paths of their own", () => {
    const names = [
      "研究员",
      "写作者",
      "Sales 東京",
      "Sales 大阪",
      "👍",
      "👎",
      "ＡＢ",
      "ＣＤ",
      "מחקר",
      "بحث",
    ];
    expect(new Set(names.map(sanitizeScopeName)).size).toBe(names.length);
    expect(sanitizeScopeName(" 研究员 ")).toBe(sanitizeScopeName("研究员"));
  });

  it.each([
    ["/crew/test//agent//", "/crew/test/agent"],
    ["", "/"],
    ["//", "/"],
    ["crew/test", "/crew/test"],
    ["a//b/", "/a/b"],
  ])("normalises %j to %j", (path, normal) => {
    expect(normalizeScopePath(path)).toBe(normal);
  });

  it.each([
    ["/crew/test", "/market", "/crew/test/market"],
    ["/crew/test", "/", "/crew/test"],
    [undefined, "/x", "/x"],
    [undefined, undefined, "/"],
    ["crew/", "a//b", "/crew/a/b"],
    ["/r", "/r/x", "/r/r/x"],
  ])("joins %j and %j to %j", (root, inner, joined) => {
    expect(joinScopePaths(root, inner)).toBe(joined);
  });

  it("MP1: a scope contains itself and the paths below, not paths with the same beginning", () => {
    const inside = ["/crew/test", "/crew/test/a"].map((path) => isInScope(path, "/crew/test"));
    const outside = ["/crew/test2", "/crew/test-2", "/crew", "/"].map((path) =>
      isInScope(path, "/crew/test"),
    );
    expect(inside).toEqual([true, true]);
    expect(outside).toEqual([false, false, false, false]);
    expect(isInScope("/anything", "/")).toBe(true);
  });

  it("MP2: stays within its root for any inner path", () => {
    for (const inner of ["../x", "/../../x", "//x", "/", "a/./b", "．．/x", "%2e%2e/x"])
      expect(isInScope(joinScopePaths("/crew/x", inner), "/crew/x")).toBe(true);
  });

  it.each([
    "../x",
    "a/../b",
    "./a",
    "a\u0000b",
    "\ud800",
    `/${"x".repeat(512)}`,
    "/a".repeat(17),
    7,
    null,
  ])("refuses %j as a path of a caller's, naming it", (path) => {
    expect(() => checkScopePath(path, "scope")).toThrow(/^scope must be a path/);
  });

  it("separates a path from its root", () => {
    expect(withinScope("/crew/x", "/crew/x/facts")).toBe("/facts");
    expect(withinScope("/crew/x", "/crew/x")).toBe("/");
    expect(withinScope("/", "/a")).toBe("/a");
  });
});

it.each([
  ["/crew/x", "/team", [], "/team"],
  ["/crew/x", "/crew/x/team", [], "/team"],
  ["/crew/x", "crew/x/crew/x/team", [], "/team"],
  ["/crew/x", "/crew/x", [], "/"],
  ["/crew/x", "/crew/x2/team", [], "/crew/x2/team"],
  ["/crew", "/crew/notes", ["/crew/notes"], "/crew/notes"],
  ["/", "/crew/x", [], "/crew/x"],
])(
  "MP3: below %s a model that proposes %s (shown %j) means %s",
  (...[root, path, shown, expected]) => {
    expect(proposedPath(root, path, shown)).toBe(expected);
  },
);
