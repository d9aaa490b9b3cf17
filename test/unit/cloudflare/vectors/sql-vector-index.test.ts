import { describe, expect, it } from "vitest";
import {
  SqlVectorIndex,
  type VectorDatabase,
} from "../../../../src/cloudflare/vectors/sql-vector-index.ts";
import { toResult } from "../../../../src/cloudflare/rpc-result.ts";
import { DurableVectorStores } from "../../../../src/cloudflare/vectors/durable-vector-store.ts";
import { sqliteInMemory } from "../../../support/run-stores.ts";
import { cosine, describeVectorStore, scattered, v } from "../../../support/vector-store.suite.ts";

const named = { collection: "c", model: "m" };

function database(): VectorDatabase {
  return sqliteInMemory();
}

/** The namespace of the objects, without the platform between. */
function objects(): DurableVectorStores {
  const indexes = new Map<string, SqlVectorIndex>();
  return new DurableVectorStores({
    getByName: (name) => {
      const index = indexes.get(name) ?? new SqlVectorIndex(database());
      indexes.set(name, index);
      return {
        upsert: (model, rows) => toResult(() => index.upsert(model, rows)),
        remove: (ids) => toResult(() => index.delete(ids)),
        search: (model, vector, query) => toResult(() => index.search(model, vector, query)),
        info: () => toResult(() => index.info()),
        clear: (except) => toResult(() => index.clear(except)),
      };
    },
  });
}

describeVectorStore({ name: "in SQLite", stores: objects });

describe("vectors in SQLite", () => {
  it("VX1: persist for the next object on the storage", () => {
    const sql = database();
    const rows = [
      { id: "a", vector: v(3, 4), metadata: { scope: "/x", private: true, source: "s" } },
      { id: "b", vector: v(0, 1) },
    ];
    new SqlVectorIndex(sql).upsert(named, rows);
    const next = new SqlVectorIndex(sql);
    expect(next.info()).toEqual({ model: "m", dimension: 2 });
    const [match] = next.search(named, v(0.6, 0.8), {
      limit: 5,
      filter: { visibleTo: "s", scope: "/x" },
    });
    expect(match?.id).toBe("a");
    expect(match?.score).toBeCloseTo(1, 6);
    next.delete(["a"]);
    expect(new SqlVectorIndex(sql).search(named, v(1, 0), { limit: 5 })).toEqual([
      { id: "b", score: 0 },
    ]);
    next.clear();
    expect(new SqlVectorIndex(sql).info()).toBeUndefined();
  });

  it("VX1: a failed write leaves both the storage and the memory as they were", () => {
    const sql = database();
    const index = new SqlVectorIndex(sql);
    index.upsert(named, [{ id: "a", vector: v(1, 0) }]);
    let writes = 0;
    const failing = new SqlVectorIndex({
      ...sql,
      exec: (query, ...bindings) => {
        if (query.startsWith("INSERT") && ++writes === 2) throw new Error("the disk is full");
        return sql.exec(query, ...bindings);
      },
    });
    const rows = [
      { id: "a", vector: v(0, 1) },
      { id: "b", vector: v(0, 1) },
    ];
    expect(() => failing.upsert(named, rows)).toThrow("the disk is full");
    for (const each of [failing, new SqlVectorIndex(sql)]) {
      expect(each.search(named, v(1, 0), { limit: 5 })).toEqual([{ id: "a", score: 1 }]);
    }
  });

  it("writes no row for reads, deletions and clearing of an empty index", () => {
    const sql = database();
    const index = new SqlVectorIndex(sql);
    expect(index.search(named, v(1, 0), { limit: 5 })).toEqual([]);
    expect(index.info()).toBeUndefined();
    index.delete(["a"]);
    index.clear();
    expect([...sql.exec(`SELECT name FROM sqlite_master`)]).toEqual([]);
  });

  it("refuses data of newer code", () => {
    const sql = database();
    new SqlVectorIndex(sql).upsert(named, [{ id: "a", vector: v(1, 0) }]);
    sql.exec(`UPDATE schema_version SET version = 99`);
    expect(() => new SqlVectorIndex(sql).search(named, v(1, 0), { limit: 1 })).toThrow(
      "newer version (schema 99, this code knows 1)",
    );
  });

  it("VX2: finds at least 98 of 100 true neighbours by the codes", () => {
    const random = scattered(384, 3);
    const centres = Array.from({ length: 20 }, () => random.next().value);
    const near = (index: number): Float32Array => {
      const centre = centres[index % centres.length];
      return random.next().value.map((value, at) => value + (centre?.[at] ?? 0));
    };
    const rows = Array.from({ length: 3000 }, (_, index) => ({
      id: `row-${index}`,
      vector: near(index),
    }));
    const index = new SqlVectorIndex(database());
    for (let start = 0; start < rows.length; start += 1000)
      index.upsert(named, rows.slice(start, start + 1000));
    let hits = 0;
    for (let round = 0; round < 20; round++) {
      const query = near(round);
      const truth = rows
        .map(({ id, vector }) => ({ id, score: cosine(query, vector) }))
        .toSorted((one, other) => other.score - one.score)
        .slice(0, 10);
      const found = index.search(named, query, { limit: 10 });
      hits += found.filter(({ id }) => truth.some((match) => match.id === id)).length;
      expect(found[0]?.score).toBeCloseTo(truth[0]?.score ?? 0, 5);
    }
    expect(hits / 200).toBeGreaterThanOrEqual(0.98);
  });

  it("VX3: refuses more rows than fit into memory, and still replaces existing ones", () => {
    const index = new SqlVectorIndex(database(), 3 * (2 + 256));
    const rows = ["a", "b", "c"].map((id) => ({ id, vector: v(1, 0) }));
    index.upsert(named, rows);
    expect(() => index.upsert(named, [{ id: "d", vector: v(1, 0) }])).toThrow(
      "holds at most 3 vectors of 2 dimensions",
    );
    index.upsert(named, [{ id: "a", vector: v(0, 1) }]);
    index.delete(["b"]);
    index.upsert(named, [{ id: "d", vector: v(1, 0) }]);
    expect(index.search(named, v(1, 0), { limit: 5 })).toHaveLength(3);
  });
});

describe("vectors in a Durable Object", () => {
  it("fail with a retryable vector_store_unavailable when they cannot be reached", async () => {
    const lost = (): Promise<never> => Promise.reject(new Error("Network connection lost."));
    const store = new DurableVectorStores({
      getByName: () => ({ upsert: lost, remove: lost, search: lost, info: lost, clear: lost }),
    }).open({ tenant: "t", collection: "notes", model: "m" });
    await expect(store.query(v(1, 0), { limit: 1 })).rejects.toMatchObject({
      code: "vector_store_unavailable",
      retryable: true,
      message: expect.stringContaining('"notes"'),
    });
  });
});
