import { expect, it } from "vitest";
import { systemClock } from "../../../../src/base/system.ts";
import { boundVectors } from "../../../../src/cloudflare/vectors/bound-vectors.ts";
import { DurableVectorStores } from "../../../../src/cloudflare/vectors/durable-vector-store.ts";
import { VectorizeStores } from "../../../../src/cloudflare/vectors/vectorize/vectorize-store.ts";
import type { PartHost } from "../../../../src/parts/part.ts";
import { knowledge } from "../../../../src/entry/knowledge.ts";
import { memory } from "../../../../src/entry/memory.ts";
import { VectorizeDouble } from "../../../support/vectorize-double.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const DB = sqliteD1();
const VECTORS = { getByName: () => undefined };
const VECTORIZE = { deleteByIds: () => undefined };
const place = { tenant: "t", collection: "c", model: "m" };

it("takes the Vectorize index before the Durable Objects, and makes it once", () => {
  const both = { DB, VECTORS, VECTORIZE };
  expect(boundVectors(both)).toBeInstanceOf(VectorizeStores);
  expect(boundVectors(both)).toBe(boundVectors(both));
  expect("sweep" in boundVectors(both)).toBe(true);
  expect(boundVectors({ DB, VECTORS })).toBeInstanceOf(DurableVectorStores);
});

it("names the missing binding on first use, not before", () => {
  const none = boundVectors({ DB });
  expect("sweep" in none).toBe(false);
  expect(() => none.open(place)).toThrow(
    /must bind the Durable Object class VectorIndex as VECTORS/,
  );
});

it("refuses a binding of another type", () => {
  expect(() => boundVectors({ DB, VECTORS: "x" })).toThrow(/VectorIndex as VECTORS/);
});

it("is swept every minute by the part of a Worker", async () => {
  const double = new VectorizeDouble({ dimensions: 2, lag: "manual" });
  const env = { DB: sqliteD1(), VECTORIZE: double };
  const store = boundVectors(env).open(place);
  await store.upsert([{ id: "a", vector: new Float32Array([1, 0]) }]);
  await store.delete(["a"]);
  const garbage = () => env.DB.sqlite.prepare("SELECT * FROM vector_garbage").all();
  expect(garbage()).toHaveLength(1);
  env.DB.sqlite.exec("UPDATE vector_garbage SET discarded_at = 0");
  const before = double.calls.length;
  for (const part of [memory(), knowledge()])
    await part.bind?.({ env, clock: systemClock } as unknown as PartHost).due?.();
  expect(double.calls.slice(before)).toEqual(["deleteByIds"]);
  expect(garbage()).toEqual([]);
});
