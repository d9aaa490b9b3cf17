import { describe, expect, it } from "vitest";
import { D1ModelCache, d1ModelCache } from "../../../src/cloudflare/stores/d1-model-cache.ts";
import { kvModelCache } from "../../../src/cloudflare/stores/kv-model-cache.ts";
import { InMemoryModelCache } from "../../../src/llm/in-memory-model-cache.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { describeModelCache } from "../../support/model-cache.suite.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

describeModelCache({
  name: "in this process",
  open: async () => {
    const clock = new SimulatedClock();
    const [ours, theirs] = [new InMemoryModelCache({ clock }), new InMemoryModelCache({ clock })];
    return { ours, theirs, advance: (ms) => clock.advance(ms) };
  },
});

describeModelCache({
  name: "in D1",
  open: async () => {
    const clock = new SimulatedClock();
    const db = sqliteD1();
    const [ours, theirs] = [new D1ModelCache(db, "a", clock), new D1ModelCache(db, "b", clock)];
    return { ours, theirs, advance: (ms) => clock.advance(ms) };
  },
});

describe("the bounds of caches", () => {
  it("in this process, the least recently used entry goes first", async () => {
    const cache = new InMemoryModelCache({ maxEntries: 2 });
    await cache.set("a", 1, 60);
    await cache.set("b", 2, 60);
    await cache.get("a");
    await cache.set("c", 3, 60);
    expect([await cache.get("a"), await cache.get("b"), await cache.get("c")]).toEqual([
      1,
      undefined,
      3,
    ]);
  });

  it("in D1, expired rows are deleted by new writes, and a huge answer is not stored", async () => {
    const clock = new SimulatedClock();
    const db = sqliteD1();
    const cache = new D1ModelCache(db, "a", clock);
    await cache.set("old", 1, 60);
    await clock.advance(60_000);
    await cache.set("new", "x".repeat(400_000), 60);
    await cache.set("huge", "x".repeat(600_000), 60);
    const { results } = await db.prepare("SELECT key FROM model_cache").all();
    expect(results).toEqual([{ key: "new" }]);
  });

  it("a setting names the missing binding", async () => {
    expect(() => kvModelCache("CACHE")({}, "t")).toThrow(/needs a KV namespace bound as CACHE/);
    const cache = d1ModelCache({ DB: sqliteD1() }, "t");
    await cache.set("k", 1, 60);
    expect(await cache.get("k")).toBe(1);
  });
});
