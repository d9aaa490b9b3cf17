// What a cache of models' answers does, wherever it keeps them: `describeModelCache(form)`.
import { describe, expect, it } from "vitest";
import type { ModelCache } from "../../src/llm/model-cache.ts";

export type ModelCacheForm = {
  readonly name: string;
  /** The caches of two tenants, both empty, and how time passes; without it, nothing expires in a test. */
  readonly open: () => Promise<{
    readonly ours: ModelCache;
    readonly theirs: ModelCache;
    readonly advance?: (ms: number) => Promise<unknown>;
  }>;
};

export function describeModelCache({ name, open }: ModelCacheForm): void {
  describe(`a cache of answers ${name}`, () => {
    it("keeps any JSON value, the last one of a key", async () => {
      const { ours } = await open();
      expect(await ours.get("k")).toBeUndefined();
      for (const value of [{ text: 'a "b" é', list: [1, null] }, [], "text", 0, false]) {
        await ours.set("k", value, 60);
        expect(await ours.get("k")).toEqual(value);
      }
      expect(await ours.get("other")).toBeUndefined();
    });

    it("keeps each tenant's apart", async () => {
      const { ours, theirs } = await open();
      await ours.set("k", 1, 60);
      await theirs.set("k", 2, 60);
      expect(await ours.get("k")).toBe(1);
      expect(await theirs.get("k")).toBe(2);
    });

    it("forgets what has had its time", async () => {
      const { ours, advance } = await open();
      await ours.set("short", 1, 60);
      await ours.set("long", 2, 600);
      if (advance === undefined) return;
      await advance(59_999);
      expect(await ours.get("short")).toBe(1);
      await advance(1);
      expect(await ours.get("short")).toBeUndefined();
      expect(await ours.get("long")).toBe(2);
    });
  });
}
