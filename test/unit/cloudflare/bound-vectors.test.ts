import { expect, it } from "vitest";
import { boundVectors } from "../../../src/cloudflare/bound-vectors.ts";
import { DurableVectorStores } from "../../../src/cloudflare/durable-vector-store.ts";
import { VectorizeStores } from "../../../src/cloudflare/vectorize-store.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const DB = sqliteD1();
const VECTORS = { getByName: () => undefined };
const VECTORIZE = { deleteByIds: () => undefined };
const place = { tenant: "t", collection: "c", model: "m" };

it("takes the Vectorize index before the Durable Objects, and makes it once", () => {
  const both = { DB, VECTORS, VECTORIZE };
  expect(boundVectors(both)).toBeInstanceOf(VectorizeStores);
  expect(boundVectors(both)).toBe(boundVectors(both));
  expect(boundVectors(both).sweep).toBeTypeOf("function");
  expect(boundVectors({ DB, VECTORS })).toBeInstanceOf(DurableVectorStores);
});

it("says what to bind when it is used and nothing is bound, not before", () => {
  const none = boundVectors({ DB });
  expect(none.sweep).toBeUndefined();
  expect(() => none.open(place)).toThrow(
    /must bind the Durable Object class VectorIndex as VECTORS/,
  );
});

it("refuses a binding that is something else", () => {
  expect(() => boundVectors({ DB, VECTORS: "x" })).toThrow(/VectorIndex as VECTORS/);
});
