import { describe, expect, it } from "vitest";
import { Bm25Index } from "../../../src/text-search/bm25.ts";
import { fuseRanks } from "../../../src/text-search/rank-fusion.ts";
import { queryTerms } from "../../../src/text/index.ts";

describe("BM25", () => {
  const all = { limit: 10, passes: () => true };

  it("puts rare words before common ones, and short texts before long ones", () => {
    const index = new Bm25Index();
    index.set("common", "tea tea tea kettle");
    index.set("rare", "tea samovar");
    index.set("long", `kettle ${"word ".repeat(50)}`);
    index.set("short", "kettle word");
    expect(index.search(queryTerms("tea samovar"), all)).toEqual(["rare", "common"]);
    expect(index.search(queryTerms("kettle"), all).at(-1)).toBe("long");
    expect(index.search(["nothing"], all)).toEqual([]);
    expect(index.search([], all)).toEqual([]);
  });

  it("loses deleted and replaced texts, and finds only passing ones", () => {
    const index = new Bm25Index();
    for (const id of ["a", "b", "c"]) index.set(id, "kettle");
    index.set("a", "samovar");
    index.delete("b");
    index.delete("never there");
    expect(index.search(queryTerms("kettle"), all)).toEqual(["c"]);
    index.set("b", "kettle");
    expect(index.search(queryTerms("kettle"), { limit: 10, passes: (id) => id !== "b" })).toEqual([
      "c",
    ]);
    expect(index.search(queryTerms("kettle"), { limit: 1, passes: () => true })).toEqual(["b"]);
  });
});

describe("rank fusion", () => {
  it("puts ids near the top of several lists first", () => {
    expect(
      fuseRanks([
        ["a", "b", "c"],
        ["d", "b", "e"],
      ]),
    ).toEqual(["b", "a", "d", "c", "e"]);
    expect(fuseRanks([["a", "b"], []])).toEqual(["a", "b"]);
    expect(fuseRanks([])).toEqual([]);
  });
});
