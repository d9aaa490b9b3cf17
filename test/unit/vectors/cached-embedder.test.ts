import { expect, it } from "vitest";
import { cachedEmbedder, type EmbeddingCache } from "../../../src/vectors/cached-embedder.ts";
import type { Embedder } from "../../../src/vectors/embedder.ts";

const { signal } = new AbortController();

function counting(): { embedder: Embedder; calls: string[] } {
  const calls: string[] = [];
  const embedder: Embedder = {
    id: "test/length",
    model: "test/length",
    dimension: 1,
    maxBatch: 7,
    embed: async (texts, { purpose = "document" }) => {
      calls.push(`${purpose}: ${texts.join(" ")}`);
      return texts.map((text) => Float32Array.of(text.length));
    },
  };
  return { embedder, calls };
}

it("asks for a text once for each purpose, and keeps the order and the doubles", async () => {
  const { embedder, calls } = counting();
  const cached = cachedEmbedder(embedder);
  expect(cached).toMatchObject({
    id: "test/length",
    model: "test/length",
    dimension: 1,
    maxBatch: 7,
  });
  await cached.embed(["bb", "a"], { signal });
  const again = await cached.embed(["a", "ccc", "bb", "ccc"], { signal });
  expect(again.map((vector) => vector[0])).toEqual([1, 3, 2, 3]);
  await cached.embed(["a"], { signal, purpose: "query" });
  expect(calls).toEqual(["document: bb a", "document: ccc", "query: a"]);
});

it("keeps the vectors used last, and returns copies", async () => {
  const { embedder, calls } = counting();
  const cached = cachedEmbedder(embedder, { maxEntries: 2 });
  const [vector] = await cached.embed(["a"], { signal });
  vector?.fill(99);
  await cached.embed(["bb"], { signal });
  expect((await cached.embed(["a"], { signal }))[0]?.[0]).toBe(1);
  await cached.embed(["ccc"], { signal });
  await cached.embed(["a", "ccc"], { signal });
  expect(calls).toHaveLength(3);
  await cached.embed(["bb"], { signal });
  expect(calls.at(-1)).toBe("document: bb");
});

it("reads the store before it calls the embedder, and works with a failing store", async () => {
  const entries = new Map<string, Float32Array>();
  const store: EmbeddingCache = {
    get: async (keys) => keys.map((key) => entries.get(key)),
    put: async (all) => all.forEach(({ key, vector }) => entries.set(key, vector)),
  };
  await cachedEmbedder(counting().embedder, { store }).embed(["a", "bb"], { signal });
  const { embedder, calls } = counting();
  const other = cachedEmbedder(embedder, { store });
  expect((await other.embed(["bb", "ccc"], { signal })).map((vector) => vector[0])).toEqual([2, 3]);
  expect(calls).toEqual(["document: ccc"]);
  const broken: EmbeddingCache = {
    get: () => Promise.reject(new Error("gone")),
    put: () => Promise.reject(new Error("gone")),
  };
  const alone = cachedEmbedder(embedder, { store: broken });
  expect(await alone.embed(["a"], { signal })).toHaveLength(1);
});
