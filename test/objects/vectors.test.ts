import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { durableVectors, type VectorIndex } from "../../src/worker.ts";
import { vectorObjectName } from "../../src/cloudflare/vectors/vector-index-api.ts";
import { describeVectorStore, scattered, v } from "../support/vector-store.suite.ts";
import { anyDimensions } from "../support/vectorize-double.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      readonly VECTORS: DurableObjectNamespace<VectorIndex>;
    }
  }
}

const stores = durableVectors(env);

function stubOf(collection: string): DurableObjectStub<VectorIndex> {
  return env.VECTORS.getByName(vectorObjectName("acme", collection));
}

describeVectorStore({ name: "in a Durable Object", stores: () => stores });
describeVectorStore({
  name: "in Vectorize, with a real D1 behind it",
  stores: () => anyDimensions(env.DB, "describe"),
});

it("vectors are there again after the object was evicted", async () => {
  const store = stores.open({ tenant: "acme", collection: "evicted", model: "m" });
  const random = scattered(384);
  const rows = Array.from({ length: 200 }, (_, index) => ({
    id: `row-${index}`,
    vector: random.next().value,
    metadata: { scope: `/s/${index % 4}` },
  }));
  await store.upsert(rows);
  await store.delete(["row-3"]);
  const query = rows[7]?.vector ?? v(1);
  const search = { limit: 10, filter: { scope: "/s/3" } };
  const before = await store.query(query, search);
  expect(before[0]).toMatchObject({ id: "row-7" });
  await evictDurableObject(stubOf("evicted"));
  expect(await store.query(query, search)).toEqual(before);
  expect(await store.info()).toEqual({ model: "m", dimension: 384 });
});

it("a vector within a larger array crosses RPC alone", async () => {
  const store = stores.open({ tenant: "acme", collection: "views", model: "m" });
  const large = new Float32Array(12_000_000).fill(1);
  await store.upsert([{ id: "a", vector: large.subarray(5, 8) }]);
  expect(await store.query(large.subarray(0, 3), { limit: 1 })).toMatchObject([{ id: "a" }]);
});

it("reading an unwritten object of vectors writes no row", async () => {
  const store = stores.open({ tenant: "acme", collection: "never", model: "m" });
  expect(await store.query(v(1, 0), { limit: 1 })).toEqual([]);
  await store.delete(["a"]);
  await store.clear();
  const tables = await runInDurableObject(stubOf("never"), (_, state) => [
    ...state.storage.sql.exec(
      `SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'`,
    ),
  ]);
  expect(tables).toEqual([]);
});
