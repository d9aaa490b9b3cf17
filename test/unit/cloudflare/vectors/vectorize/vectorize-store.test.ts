import { describe, expect, it } from "vitest";
import {
  VectorizeStores,
  type VectorizeStore,
} from "../../../../../src/cloudflare/vectors/vectorize/vectorize-store.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import { sqliteD1 } from "../../../../support/sqlite-d1.ts";
import { describeVectorStore, scattered, v } from "../../../../support/vector-store.suite.ts";
import {
  anyDimensions,
  VectorizeDouble,
  type VectorizeDoubleOptions,
} from "../../../../support/vectorize-double.ts";
import type { VectorStore } from "../../../../../src/vectors/vector-store.ts";

describeVectorStore({
  name: "in Vectorize that indexes at once",
  stores: () => anyDimensions(sqliteD1(), "none"),
});
describeVectorStore({
  name: "in Vectorize that lags behind",
  stores: () => anyDimensions(sqliteD1(), "describe"),
});
describeVectorStore({
  name: "in Vectorize that has indexed nothing",
  stores: () => anyDimensions(sqliteD1(), "manual"),
});

function setUp(options: { maxPending?: number; lag?: VectorizeDoubleOptions["lag"] } = {}): {
  index: VectorizeDouble;
  stores: VectorizeStores;
  store: VectorizeStore;
  clock: SimulatedClock;
} {
  const { lag = "manual", ...rest } = options;
  const clock = new SimulatedClock();
  const index = new VectorizeDouble({ dimensions: 2, lag });
  const stores = new VectorizeStores(index, sqliteD1(), { clock, ...rest });
  const store = stores.open({ tenant: "acme", collection: "notes", model: "m" });
  return { index, stores, store, clock };
}

async function ids(store: VectorStore): Promise<string[]> {
  return (await store.query(v(1, 0), { limit: 10 })).map(({ id }) => id);
}

const row = (id: string, ...values: number[]): { id: string; vector: Float32Array } => ({
  id,
  vector: v(...(values.length > 0 ? values : [1, 0])),
});

describe("vectors in Vectorize", () => {
  it("Z2: are read from D1 until they are indexed, and from Vectorize from then on", async () => {
    const { index, store } = setUp();
    await store.upsert([row("a"), row("b", 1, 1)]);
    expect(await ids(store)).toEqual(["a", "b"]);
    expect(index.stored.size).toBe(0);
    index.process();
    // This query finds out that they are indexed; the next one asks Vectorize alone.
    expect(await ids(store)).toEqual(["a", "b"]);
    index.calls.length = 0;
    expect(await ids(store)).toEqual(["a", "b"]);
    expect(index.calls).toEqual(["query 20"]);
  });

  it("Z2: are seen while they are being indexed during a query", async () => {
    const { index, store } = setUp();
    await store.upsert([row("a")]);
    const query = index.query.bind(index);
    // Vectorize becomes ready after D1 was read, and before it is asked itself.
    index.query = async (...asked) => {
      index.process();
      return query(...asked);
    };
    expect(await ids(store)).toEqual(["a"]);
    expect(await ids(store)).toEqual(["a"]);
  });

  it("Z3: by the last mutation: those accepted before its start are indexed, a later one is not", async () => {
    const { index, store } = setUp();
    for (const id of ["a", "b", "c"]) {
      await store.upsert([row(id)]);
    }
    index.process(2);
    await ids(store);
    index.outage = new Error("away");
    await expect(ids(store)).rejects.toMatchObject({ code: "vector_store_unavailable" });
    index.outage = undefined;
    expect(await ids(store)).toEqual(["a", "b", "c"]);
    index.stored.clear();
    // Only what D1 still keeps is left.
    expect(await ids(store)).toEqual(["c"]);
  });

  it("Z3: by time when the last mutation is unknown, with a minute between", async () => {
    const { index, store, clock } = setUp();
    const written = clock.now();
    await store.upsert([row("a")]);
    const mutations = index.waiting.splice(0);
    for (const [after, kept] of [
      [59_000, true],
      [61_000, false],
    ] as const) {
      index.processedAt = new Date(written + after).toISOString();
      await ids(store);
      expect((await ids(store)).length === 1).toBe(kept);
    }
    index.waiting.push(...mutations);
    index.process();
    expect(await ids(store)).toEqual(["a"]);
  });

  it("Z4: a rewritten row has its new vector alone, however late the old one is indexed", async () => {
    const { index, store, stores, clock } = setUp();
    await store.upsert([row("a", 1, 0)]);
    await store.upsert([row("a", 0, 1)]);
    for (let round = 0; round < 4; round++) {
      expect(await store.query(v(1, 0), { limit: 5 })).toEqual([{ id: "a", score: 0 }]);
      index.process(1);
    }
    expect(index.stored.size).toBe(2);
    await clock.advance(61_000);
    await stores.sweep();
    index.process();
    expect(index.stored.size).toBe(1);
    expect(await store.query(v(0, 1), { limit: 5 })).toEqual([{ id: "a", score: 1 }]);
  });

  it("Z1: finds the rows behind many deleted ones still in the index", async () => {
    const { index, store, stores, clock } = setUp({ lag: "none" });
    const near = Array.from({ length: 60 }, (_, at) => row(`near-${at}`, 1, at / 1000));
    await store.upsert([...near, row("far", 0, 1), row("farther", -1, 1)]);
    await ids(store);
    await store.delete(near.map(({ id }) => id));
    index.calls.length = 0;
    expect(await ids(store)).toEqual(["far", "farther"]);
    expect(index.calls).toEqual(["query 20", "query 100"]);
    await clock.advance(61_000);
    await stores.sweep();
    expect(index.stored.size).toBe(2);
  });

  it("Z5: accept writes while Vectorize is away, and bring them there later", async () => {
    const { index, store, stores, clock } = setUp({ lag: "none" });
    index.outage = new Error("away");
    await store.upsert([row("a")]);
    await expect(ids(store)).rejects.toMatchObject({
      code: "vector_store_unavailable",
      retryable: true,
      message: "Vectorize did not answer: away",
    });
    index.outage = undefined;
    expect(await ids(store)).toEqual(["a"]);
    await stores.sweep();
    expect(index.stored.size).toBe(0);
    await clock.advance(61_000);
    await stores.sweep();
    expect(index.stored.size).toBe(1);
    expect(await ids(store)).toEqual(["a"]);
    expect(await ids(store)).toEqual(["a"]);
  });

  it("Z5: a write with a lost answer is sent again under the same key", async () => {
    const { index, store, stores, clock } = setUp({ lag: "none" });
    index.losesAnswers = true;
    await store.upsert([{ ...row("a"), metadata: { scope: "/x", private: true, source: "s" } }]);
    index.losesAnswers = false;
    await clock.advance(61_000);
    await stores.sweep();
    expect(index.stored.size).toBe(1);
    await ids(store);
    const filter = { scope: "/x", visibleTo: "s" };
    expect(await store.query(v(1, 0), { limit: 1, filter })).toEqual([{ id: "a", score: 1 }]);
  });

  it("Z5: refuse writes when too many wait, until Vectorize has made progress", async () => {
    const { index, store } = setUp({ maxPending: 3 });
    await store.upsert([row("a"), row("b"), row("c")]);
    await expect(store.upsert([row("d")])).rejects.toMatchObject({
      code: "vector_store_unavailable",
      retryable: true,
      retryAfterMs: 5000,
    });
    index.process();
    await store.upsert([row("d")]);
    expect(await ids(store)).toEqual(["a", "b", "c", "d"]);
  });

  it("names the dimensions of the index for a query of another embedder, and keeps the vectors", async () => {
    const { stores, store } = setUp();
    await store.upsert([row("a")]);
    const other = stores.open({ tenant: "acme", collection: "notes", model: "m2" });
    await expect(other.query(v(1, 0, 0), { limit: 1 })).rejects.toMatchObject({
      code: "invalid_definition",
      message: expect.stringContaining("create an index with --dimensions=3") as string,
    });
    await expect(other.query(v(1, 0), { limit: 1 })).rejects.toMatchObject({
      code: "embedding_mismatch",
    });
    expect(await ids(store)).toEqual(["a"]);
  });

  it("read the dimensions of the index, before the first write", async () => {
    const { store } = setUp();
    await expect(store.upsert([row("a", 1, 2, 3)])).rejects.toMatchObject({
      code: "invalid_definition",
      message: expect.stringContaining("has 2 dimensions, and the embedder makes 3"),
    });
    expect(await store.info()).toBeUndefined();
  });

  it("are deleted from the index after their collection was cleared", async () => {
    const { index, store, stores, clock } = setUp({ lag: "none" });
    await store.upsert([row("a"), row("b")]);
    await store.clear();
    await store.upsert([row("a", 0, 1)]);
    await clock.advance(61_000);
    await stores.sweep();
    expect(index.stored.size).toBe(1);
    expect(await ids(store)).toEqual(["a"]);
  });

  it("are deleted from the index in calls of limited size", async () => {
    const { index, store, stores, clock } = setUp({ lag: "none" });
    await store.upsert(Array.from({ length: 250 }, (_, at) => row(`r${at}`)));
    await store.clear();
    await clock.advance(61_000);
    await stores.sweep();
    expect(index.stored.size).toBe(0);
    expect(index.calls.filter((call) => call === "deleteByIds")).toHaveLength(3);
  });

  it("go to D1 in texts of limited size, and to Vectorize unchanged", async () => {
    const clock = new SimulatedClock();
    const index = new VectorizeDouble({ dimensions: 1536, lag: "none" });
    const stores = new VectorizeStores(index, sqliteD1(), { clock });
    const store = stores.open({ tenant: "acme", collection: "notes", model: "m" });
    const random = scattered(1536);
    const rows = Array.from({ length: 400 }, (_, at) => row(`r${at}`, ...random.next().value));
    await store.upsert(rows);
    for (const at of [0, 150, 399]) {
      const [match] = await store.query(rows[at]?.vector ?? v(1), { limit: 1 });
      expect(match?.id).toBe(`r${at}`);
      expect(match?.score).toBeCloseTo(1, 5);
    }
  });
});
