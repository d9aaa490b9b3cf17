// A Worker whose embedder is another one after a deploy.
import { expect, it } from "vitest";
import { D1MemoryRecords } from "../../../../src/cloudflare/stores/d1-memory-records.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import type { Answer } from "../../../support/http-app.ts";
import { saidEmbedder } from "../../../support/memory-harness.ts";
import { ADMIN, RecallWorld } from "../../../support/recall-world.ts";

const FIELDS = { scope: "/", categories: [], importance: 0.5 };

it("MIX1: the next use begins the reindex, as a run with its progress, and recalls stay complete", async () => {
  const vectors = new InMemoryVectorStores();
  const before = new RecallWorld({ vectors, memory: { embedder: saidEmbedder() } });
  for (const [index, name] of ["tea", "rice", "salt"].entries())
    await before.ask("/memory", {
      key: ADMIN,
      json: { ...FIELDS, content: `${name} axis=${index + 1}` },
    });
  const embedder = saidEmbedder({ model: "test/other-1", id: "test/other" });
  const after = new RecallWorld({ vectors, memory: { embedder }, database: before.database });
  const ask = (path: string, options: object = {}): Promise<Answer> =>
    after.ask(path, { key: ADMIN, ...options });
  const recall = async (query: string) =>
    (
      await ask("/memory/recall", {
        json: { query, depth: "shallow", minScore: 0.4, hybrid: false },
      })
    ).json;
  expect((await ask("/memory/index")).json).toEqual({
    embedder: "test/other-1",
    records: 3,
    missing: 0,
    reindexing: false,
  });
  const first = await recall("rice");
  expect(first["items"]).toMatchObject([{ record: { content: "rice axis=2" } }]);
  expect(first["degraded"]).toContain("being made again for test/other");
  const id = `memory-reindex-${Math.floor(after.clock.now() / 600_000)}`;
  await after.clock.settle();
  const run = await ask(`/runs/${id}`);
  expect(run.json).toMatchObject({ kind: "memory", status: "completed", output: { made: 3 } });
  const events = await ask(`/runs/${id}/events?follow=0&types=memory_reindex_progress`);
  expect(events.text).toContain('"made":3,"left":0');
  expect((await ask("/memory/index")).json).toEqual({
    embedder: "test/other-1",
    made: "test/other-1 (1200 dimensions)",
    records: 3,
    missing: 0,
    reindexing: false,
  });
  const again = await recall("axis=2");
  expect(again["items"]).toMatchObject([{ record: { content: "rice axis=2" }, similarity: 1 }]);
  expect(again).not.toHaveProperty("degraded");
});

it("MIX1: the cron goes on with a reindex that has failed", async () => {
  const vectors = new InMemoryVectorStores();
  const before = new RecallWorld({ vectors, memory: { embedder: saidEmbedder() } });
  await before.ask("/memory", { key: ADMIN, json: { ...FIELDS, content: "tea axis=1" } });
  const embedder = saidEmbedder({ model: "test/other-1" });
  const after = new RecallWorld({ vectors, memory: { embedder }, database: before.database });
  const records = new D1MemoryRecords(after.database, "default");
  await records.adoptIndex("test/other-1 (1200 dimensions)", after.clock.now());
  await after.bound.get("memory")?.due?.();
  await after.clock.settle();
  const state = (await after.ask("/memory/index", { key: ADMIN })).json;
  expect(state).toMatchObject({ missing: 0, reindexing: false });
});
