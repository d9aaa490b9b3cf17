import { describe, expect, it } from "vitest";
import { inTurn, mapAtMost } from "../../../src/base/concurrency.ts";

describe("mapAtMost", () => {
  it("returns results in the order of the items, in any order of completion", async () => {
    const ends = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const results = mapAtMost(["a", "b", "c"], 3, async (item, index) => {
      await ends[index]?.promise;
      return `${item}${index}`;
    });
    for (const { resolve } of ends.toReversed()) resolve();
    expect(await results).toEqual(["a0", "b1", "c2"]);
  });

  it("starts the next item when one ends, and never more than the limit at once", async () => {
    const ends = Array.from({ length: 7 }, () => Promise.withResolvers<void>());
    const started: number[] = [];
    const all = mapAtMost([...ends.keys()], 3, (item) => {
      started.push(item);
      return ends[item]?.promise ?? Promise.reject(new Error("no such item"));
    });
    expect(started).toEqual([0, 1, 2]);
    for (const end of [2, 0, 3]) {
      ends[end]?.resolve();
      await Promise.resolve();
    }
    await Promise.resolve();
    expect(started).toEqual([0, 1, 2, 3, 4, 5]);
    for (const { resolve } of ends) resolve();
    await all;
    expect(started).toHaveLength(7);
  });

  it("rejects with the first error", async () => {
    const failing = mapAtMost([1, 2, 3], 2, async (item) => {
      if (item > 1) throw new Error(`item ${item}`);
    });
    await expect(failing).rejects.toThrow("item 2");
  });

  it("returns an empty list for no items", async () => {
    expect(await mapAtMost([], 3, async () => "never")).toEqual([]);
  });
});

describe("inTurn", () => {
  it("does work on one thing one after another, and work on others at once", async () => {
    const owner = {};
    const first = Promise.withResolvers<string>();
    const done: string[] = [];
    const note = (name: string) => async () => void done.push(name);
    const failing = inTurn(owner, "a", () => first.promise);
    const second = inTurn(owner, "a", note("second"));
    await inTurn(owner, "b", note("of b"));
    await inTurn({}, "a", note("of another owner"));
    expect(done).toEqual(["of b", "of another owner"]);
    first.reject(new Error("no"));
    await expect(failing).rejects.toThrow("no");
    await second;
    expect(done).toEqual(["of b", "of another owner", "second"]);
  });
});
