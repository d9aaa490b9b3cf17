// What a vector store does, wherever its rows are. One suite for every store: `describeVectorStore(form)`.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type {
  VectorFilter,
  VectorRow,
  VectorStore,
  VectorStores,
} from "../../src/vectors/vector-store.ts";

export type VectorStoreForm = {
  readonly name: string;
  readonly stores: () => VectorStores | Promise<VectorStores>;
};

/** A vector of few dimensions. */
export function v(...values: readonly number[]): Float32Array {
  return Float32Array.from(values);
}

/** The same vectors on every machine, pointing anywhere. */
export function* scattered(dimension: number, seed = 1): Generator<Float32Array, never> {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 0x1_0000_0000;
  };
  // Sums of evenly spread numbers lie like those of a bell curve, so that no direction is preferred.
  for (;;) yield Float32Array.from({ length: dimension }, () => next() + next() + next() - 1.5);
}

export function cosine(one: Float32Array, other: Float32Array): number {
  let [product, a, b] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    product += (one[index] ?? 0) * (other[index] ?? 0);
    a += (one[index] ?? 0) ** 2;
    b += (other[index] ?? 0) ** 2;
  }
  return product / Math.sqrt(a * b);
}

export function describeVectorStore({ name, stores }: VectorStoreForm): void {
  describe(`a vector store ${name}`, () => {
    let all: VectorStores;
    let store: VectorStore;
    let collections = 0;

    beforeAll(async () => {
      all = await stores();
    });

    beforeEach(() => {
      store = open();
    });

    /** A collection that nobody else has. */
    function open(model = "test/model"): VectorStore {
      return all.open({ tenant: "acme", collection: `c${++collections}`, model });
    }

    async function found(filter: VectorFilter = {}, vector = v(1, 0, 0)): Promise<string[]> {
      const matches = await store.query(vector, { limit: 100, filter });
      return matches.map(({ id }) => id).toSorted();
    }

    it("V1: finds what was just written, and no longer what was just deleted", async () => {
      await store.upsert([{ id: "a", vector: v(1, 0, 0) }]);
      expect(await store.query(v(1, 0, 0), { limit: 5 })).toEqual([{ id: "a", score: 1 }]);
      await store.delete(["a", "never there"]);
      expect(await store.query(v(1, 0, 0), { limit: 5 })).toEqual([]);
    });

    it("V1: sees of a row that is written again only the new vector and the new metadata", async () => {
      await store.upsert([{ id: "a", vector: v(1, 0, 0), metadata: { scope: "/x", source: "s" } }]);
      await store.upsert([{ id: "a", vector: v(0, 1, 0), metadata: { scope: "/y" } }]);
      expect(await store.query(v(0, 1, 0), { limit: 5, filter: { scope: "/y" } })).toEqual([
        { id: "a", score: 1 },
      ]);
      expect(await found({ scope: "/x" })).toEqual([]);
      expect(await found({ source: "s" })).toEqual([]);
    });

    it("V1: of one id twice in a call the last row stands", async () => {
      await store.upsert([
        { id: "a", vector: v(1, 0, 0) },
        { id: "a", vector: v(0, 1, 0) },
      ]);
      expect(await store.query(v(0, 1, 0), { limit: 5 })).toEqual([{ id: "a", score: 1 }]);
    });

    it("V2: scores by the cosine whatever the lengths, and cuts it off at 0", async () => {
      await store.upsert([
        { id: "same", vector: v(10, 0, 0) },
        { id: "near", vector: v(0.3, 0.4, 0) },
        { id: "across", vector: v(0, 0, 2) },
        { id: "away", vector: v(-1, 0, 0) },
      ]);
      const matches = await store.query(v(0.5, 0, 0), { limit: 10 });
      expect(matches.map(({ id }) => id)).toEqual(["same", "near", "across", "away"]);
      expect(matches[0]?.score).toBeCloseTo(1, 5);
      expect(matches[1]?.score).toBeCloseTo(0.6, 5);
      expect(matches[2]?.score).toBeCloseTo(0, 5);
      expect(matches[3]?.score).toBe(0);
    });

    it("V2: orders rows that are equally near by id, also where the limit cuts", async () => {
      const rows = ["d", "b", "e", "a", "c"].map((id) => ({ id, vector: v(1, 1, 0) }));
      await store.upsert(rows);
      const matches = await store.query(v(1, 0, 0), { limit: 3 });
      expect(matches.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    });

    it("leaves out what scores below minScore, and keeps what scores just that", async () => {
      await store.upsert([
        { id: "same", vector: v(1, 0, 0) },
        { id: "near", vector: v(0.6, 0.8, 0) },
        { id: "away", vector: v(-1, 0, 0) },
      ]);
      const ids = async (minScore: number): Promise<string[]> =>
        (await store.query(v(1, 0, 0), { limit: 10, minScore })).map(({ id }) => id);
      expect(await ids(0)).toEqual(["same", "near", "away"]);
      expect(await ids(0.59)).toEqual(["same", "near"]);
      expect(await ids(0.61)).toEqual(["same"]);
      expect((await store.query(v(0, 1, 0), { limit: 1, minScore: 0.5 }))[0]?.id).toBe("near");
    });

    it("V4: a scope matches itself and what is below it, and nothing that only begins alike", async () => {
      const scopes = ["/", "/a", "/a/b", "/a/b/c", "/ab", "/a-b", "/b/a", undefined];
      await store.upsert(
        scopes.map((scope, index) => ({
          id: scope ?? "none",
          vector: v(1, index / 10, 0),
          ...(scope === undefined ? undefined : { metadata: { scope } }),
        })),
      );
      expect(await found({ scope: "/a" })).toEqual(["/a", "/a/b", "/a/b/c"]);
      expect(await found({ scope: "/a/b" })).toEqual(["/a/b", "/a/b/c"]);
      expect(await found({ scope: "/a/b/c" })).toEqual(["/a/b/c"]);
      expect(await found({ scope: "/a/b/c/d" })).toEqual([]);
      expect(await found({ scope: "/" })).toHaveLength(scopes.length);
      expect(await found({})).toHaveLength(scopes.length);
    });

    it("V4: holds for scopes as deep and as long as they may be", async () => {
      const deep = `/${Array.from({ length: 16 }, (_, index) => `part-${index}`).join("/")}`;
      const parent = deep.slice(0, deep.lastIndexOf("/"));
      const long = `/${"x".repeat(500)}`;
      await store.upsert([
        { id: "deep", vector: v(1, 0, 0), metadata: { scope: deep } },
        { id: "beside", vector: v(1, 0, 0), metadata: { scope: `${parent}/other` } },
        { id: "long", vector: v(1, 0, 0), metadata: { scope: `${long}y` } },
        { id: "longer", vector: v(1, 0, 0), metadata: { scope: `${long}z` } },
        { id: "unicode", vector: v(1, 0, 0), metadata: { scope: "/ärger/日本" } },
      ]);
      expect(await found({ scope: deep })).toEqual(["deep"]);
      expect(await found({ scope: parent })).toEqual(["beside", "deep"]);
      expect(await found({ scope: deep.split("/").slice(0, 9).join("/") })).toEqual([
        "beside",
        "deep",
      ]);
      expect(await found({ scope: `${long}y` })).toEqual(["long"]);
      expect(await found({ scope: "/ärger" })).toEqual(["unicode"]);
    });

    it("filters by source, privacy, collection and document, all at once", async () => {
      const long = "d".repeat(255);
      await store.upsert([
        { id: "1", vector: v(1, 0, 0), metadata: { source: "s", collection: "k", document: "d1" } },
        { id: "2", vector: v(1, 0, 0), metadata: { source: "t", collection: "k", document: "d2" } },
        { id: "3", vector: v(1, 0, 0), metadata: { source: "s", private: true } },
        { id: "4", vector: v(1, 0, 0), metadata: { document: `${long}1` } },
        { id: "5", vector: v(1, 0, 0), metadata: { document: `${long}2`, private: false } },
      ]);
      expect(await found({ source: "s" })).toEqual(["1", "3"]);
      expect(await found({ source: "s", private: false })).toEqual(["1"]);
      expect(await found({ private: true })).toEqual(["3"]);
      expect(await found({ private: false })).toEqual(["1", "2", "4", "5"]);
      expect(await found({ collection: "k" })).toEqual(["1", "2"]);
      expect(await found({ collection: "k", document: "d2" })).toEqual(["2"]);
      expect(await found({ document: `${long}1` })).toEqual(["4"]);
      expect(await found({ collection: "other" })).toEqual([]);
      expect(await found({ source: "s", document: "d2" })).toEqual([]);
    });

    it("V5: clears a collection except that of a model and dimension", async () => {
      const row = { id: "1", vector: v(1, 0, 0), metadata: {} };
      await store.upsert([row]);
      const made = await store.info();
      await store.clear(made === undefined ? {} : { except: made });
      expect(await store.info()).toEqual(made);
      await store.clear({ except: { model: made?.model ?? "", dimension: 4 } });
      expect(await store.info()).toBeUndefined();
      await store.upsert([row]);
      await store.clear({ except: { model: "another", dimension: 3 } });
      expect(await store.info()).toBeUndefined();
    });

    it("V3: shows private rows to their own source alone", async () => {
      await store.upsert([
        { id: "public", vector: v(1, 0, 0), metadata: { source: "a" } },
        { id: "of a", vector: v(1, 0, 0), metadata: { source: "a", private: true } },
        { id: "of b", vector: v(1, 0, 0), metadata: { source: "b", private: true } },
        { id: "of nobody", vector: v(1, 0, 0), metadata: { private: true } },
      ]);
      expect(await found({ visibleTo: "a" })).toEqual(["of a", "public"]);
      expect(await found({ visibleTo: "b" })).toEqual(["of b", "public"]);
      expect(await found({ visibleTo: "c" })).toEqual(["public"]);
      expect(await found({ visibleTo: null })).toEqual(["public"]);
      expect(await found({ visibleTo: "" })).toEqual(["public"]);
      expect(await found({})).toHaveLength(4);
    });

    it("V3: fills the limit from the rows that pass the filter, however many nearer ones do not", async () => {
      const rows: VectorRow[] = Array.from({ length: 150 }, (_, index) => ({
        id: `near-${index}`,
        vector: v(1, 0, index / 1000),
        metadata: { scope: "/other" },
      }));
      await store.upsert([
        ...rows,
        { id: "far", vector: v(0.1, 1, 0), metadata: { scope: "/mine" } },
        { id: "farther", vector: v(-1, 1, 0), metadata: { scope: "/mine/too" } },
      ]);
      const matches = await store.query(v(1, 0, 0), { limit: 2, filter: { scope: "/mine" } });
      expect(matches.map(({ id }) => id)).toEqual(["far", "farther"]);
    });

    it("keeps tenants and collections apart", async () => {
      const one = { tenant: "one", collection: "shared", model: "test/model" };
      const others = [
        { ...one, tenant: "two" },
        { ...one, collection: "another" },
        { ...one, tenant: "one/shared", collection: "x" },
      ];
      await all.open(one).upsert([{ id: "a", vector: v(1, 0, 0) }]);
      for (const [index, other] of others.entries()) {
        expect(await all.open(other).query(v(1, 0, 0), { limit: 5 })).toEqual([]);
        await all.open(other).upsert([{ id: "a", vector: v(0, 1, index) }]);
      }
      expect(await all.open(one).query(v(1, 0, 0), { limit: 5 })).toEqual([{ id: "a", score: 1 }]);
      await all.open({ ...one, tenant: "two" }).clear();
      expect(await all.open(one).query(v(1, 0, 0), { limit: 5 })).toHaveLength(1);
    });

    it("V5: remembers what it was made with, and refuses other vectors with the way out", async () => {
      const made = { tenant: "acme", collection: "models", model: "test/small" };
      const small = all.open(made);
      expect(await small.info()).toBeUndefined();
      expect(await small.query(v(1, 0), { limit: 1 })).toEqual([]);
      await small.upsert([{ id: "a", vector: v(1, 0, 0) }]);
      expect(await all.open({ ...made, model: "test/large" }).info()).toEqual({
        model: "test/small",
        dimension: 3,
      });
      const large = all.open({ ...made, model: "test/large" });
      const refusal = {
        code: "embedding_mismatch",
        message: expect.stringMatching(/"models".*test\/small.*test\/large.*embed its texts again/),
      };
      await expect(large.query(v(1, 0, 0), { limit: 1 })).rejects.toMatchObject(refusal);
      await expect(large.upsert([{ id: "b", vector: v(1, 0, 0) }])).rejects.toMatchObject(refusal);
      await expect(small.query(v(1, 0), { limit: 1 })).rejects.toMatchObject({
        code: "embedding_mismatch",
        message: expect.stringMatching(/3 dimensions.*2 dimensions/),
      });
      await large.clear();
      expect(await large.info()).toBeUndefined();
      await large.upsert([{ id: "b", vector: v(1, 0) }]);
      expect(await large.query(v(1, 0), { limit: 5 })).toEqual([{ id: "b", score: 1 }]);
      expect(await large.info()).toEqual({ model: "test/large", dimension: 2 });
    });

    it("V6: refuses what is beyond the limits, naming it", async () => {
      const row = { id: "a", vector: v(1, 0) };
      const refused: [Promise<unknown>, string][] = [
        [store.upsert([{ ...row, id: "ü".repeat(33) }]), "rows[0].id must be a text of 1 to 64"],
        [store.upsert([row, { ...row, id: "" }]), "rows[1].id"],
        [store.upsert([{ ...row, vector: new Float32Array(1537).fill(1) }]), "1 to 1536 dim"],
        [store.upsert([{ ...row, vector: v(0, 0) }]), "rows[0].vector must be finite"],
        [store.upsert([{ ...row, vector: v(1, Number.NaN) }]), "rows[0].vector must be finite"],
        [store.upsert([row, { id: "b", vector: v(1, 0, 0) }]), "rows[1].vector has 3 dimensions"],
        [store.upsert([{ ...row, metadata: { scope: "a/b" } }]), "rows[0].metadata.scope"],
        [store.upsert([{ ...row, metadata: { scope: "/a/" } }]), "rows[0].metadata.scope"],
        [store.upsert([{ ...row, metadata: { source: "s".repeat(257) } }]), "metadata.source"],
        [
          store.upsert(Array.from({ length: 1001 }, () => row)),
          "at most 1000 in one call, got 1001",
        ],
        [store.delete(Array.from({ length: 1001 }, () => "a")), "ids must be at most 1000"],
        [store.query(v(1, 0), { limit: 0 }), "limit must be an integer from 1 to 100, got 0"],
        [store.query(v(1, 0), { limit: 101 }), "limit must be an integer from 1 to 100, got 101"],
        [store.query(v(1, 0), { limit: 1, minScore: 2 }), "minScore must be a number from 0 to 1"],
        [store.query(v(1, 0), { limit: 1, filter: { scope: "" } }), "filter.scope"],
        [store.query(v(0, 0), { limit: 1 }), "vector must be finite numbers that are not all 0"],
      ];
      for (const [call, message] of refused) {
        await expect(call).rejects.toThrow(message);
      }
      await store.upsert([{ id: "x".repeat(64), vector: v(1, 0) }]);
      await store.upsert([]);
      await store.delete([]);
      expect(await store.query(v(1, 0), { limit: 100 })).toHaveLength(1);
    });

    it("finds the same as a plain loop over all rows", { timeout: 30_000 }, async () => {
      const random = scattered(64);
      const rows = Array.from({ length: 700 }, (_, index) => ({
        id: `row-${index}`,
        vector: random.next().value,
        metadata: { scope: `/s${index % 7}` },
      }));
      await store.upsert(rows);
      await store.delete(rows.filter((_, index) => index % 5 === 0).map(({ id }) => id));
      const kept = rows.filter((_, index) => index % 5 !== 0);
      for (let round = 0; round < 5; round++) {
        const query = random.next().value;
        const expected = kept
          .filter(({ metadata }) => metadata.scope === "/s3")
          .map(({ id, vector }) => ({ id, score: Math.max(0, cosine(query, vector)) }))
          .toSorted((one, other) => other.score - one.score)
          .slice(0, 10);
        const matches = await store.query(query, { limit: 10, filter: { scope: "/s3" } });
        expect(matches.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        for (const [index, { score }] of matches.entries()) {
          expect(score).toBeCloseTo(expected[index]?.score ?? 0, 4);
        }
      }
    });
  });
}
