// Another embedder over real D1 and a real VectorIndex object, and people's memories of a real Worker.
import { evictAllDurableObjects } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { D1MemoryRecords } from "../../src/cloudflare/stores/d1-memory-records.ts";
import { pendingIndexes } from "../../src/cloudflare/stores/memory-index-rows.ts";
import { Memory } from "../../src/memory/memory.ts";
import { embedder } from "../../src/vectors/embedders/custom-embedder.ts";
import { durableVectors, type VectorIndex } from "../../src/worker.ts";
import { newId } from "./support/runs.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      readonly VECTORS: DurableObjectNamespace<VectorIndex>;
    }
  }
}

const COUNT = 250;
const SAVE = { scope: "/", categories: [], importance: 0.5 };
const RECALL = { depth: "shallow", limit: 5, minScore: 0.99 } as const;

/** One axis for each number in a text; the models differ in their length. */
const counting = (dimension: number) =>
  embedder({
    model: `test/axis-${dimension}`,
    embed: async (texts) =>
      texts.map((text) => {
        const vector = Array.from({ length: dimension }, () => 0);
        vector[Number(/\d+/.exec(text)?.[0] ?? 0) % dimension] = 1;
        return vector;
      }),
  });

it("MIX1, MIX2, MIX3: loses no record, also with writes and evictions during the reindex", async () => {
  const tenant = newId("tenant");
  const records = new D1MemoryRecords(env.DB, tenant);
  const storage = { tenant, records, vectors: durableVectors(env) };
  const [before, after] = [counting(400), counting(500)].map(
    (each) => new Memory({ embedder: each, storage }),
  );
  const contents = Array.from({ length: COUNT }, (_, index) => `fact ${index}`);
  await before?.rememberAll(contents, SAVE);
  expect(await records.indexState()).toMatchObject({ records: COUNT, missing: 0 });
  const found = async (query: string) =>
    (await after?.recall(query, RECALL))?.map(({ record }) => record.content);
  expect(await found("fact 7")).toContain("fact 7");
  expect(await records.indexState()).toMatchObject({ missing: COUNT, isPending: true });
  expect(await pendingIndexes(env.DB, 1000)).toContain(tenant);
  const writes = [100, 101, 102].map(async (index) => after?.remember(`late ${300 + index}`, SAVE));
  await after?.reindex({ limit: 60 });
  await evictAllDurableObjects();
  await before?.remember("old 399", SAVE); // an instance of the version before
  await Promise.all(writes);
  await after?.reindex();
  expect(await records.indexState()).toMatchObject({
    records: COUNT + 4,
    missing: 0,
    made: "test/axis-500 (500 dimensions)",
    isPending: false,
  });
  for (const query of ["fact 0", "fact 249", "late 401", "old 399"])
    expect(await found(query)).toEqual([query]);
  expect(await pendingIndexes(env.DB, 1000)).not.toContain(tenant);
});

it("MO4: a Worker's memories of two people stay apart, in every list", async () => {
  const fetchWorker = (url: string, init?: RequestInit) =>
    exports.default.fetch(new Request(url, init));
  const open = new EdgecrewClient({ baseUrl: "https://api.test", fetch: fetchWorker });
  const { key } = await open.keys.create({ tenant: newId("tenant"), scopes: ["admin"] });
  const client = new EdgecrewClient({
    baseUrl: "https://api.test",
    fetch: fetchWorker,
    apiKey: key,
  });
  const people = ["anna", "anna/x", "Anna", "研究员"];
  for (const person of people)
    await client.memory.remember(`The secret of ${person}`, { ...SAVE, person });
  for (const person of people) {
    const listed = await client.memory.list({ person });
    expect(listed.items.map(({ content }) => content)).toEqual([`The secret of ${person}`]);
    const recalled = await client.memory.recall("secret", { person, minScore: 0 });
    expect(recalled.items.map(({ record }) => record.content)).toEqual([`The secret of ${person}`]);
  }
  expect((await client.memory.list()).items).toEqual([]);
  expect((await client.memory.recall("secret", { minScore: 0 })).items).toEqual([]);
  expect((await client.memory.list({ includePrivate: true })).items).toHaveLength(people.length);
});
