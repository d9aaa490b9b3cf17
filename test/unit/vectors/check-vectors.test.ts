import { describe, expect, it } from "vitest";
import { VECTOR_LIMITS } from "../../../src/vectors/vector-store.ts";
import { InMemoryVectorStores } from "../../../src/vectors/exact-vectors.ts";

const refused = (vector: Float32Array): Promise<void> =>
  new InMemoryVectorStores()
    .open({ tenant: "acme", collection: "c", model: "test/model" })
    .upsert([{ id: "a", vector }]);

describe("an incomparable vector", () => {
  it.each([
    ["zeros", Float32Array.of(0, 0), 'got "only 0"'],
    ["not a number", Float32Array.of(1, NaN), 'got "others"'],
    ["an infinity", Float32Array.of(1, Infinity), 'got "others"'],
  ])("is refused with the reason: %s", async (_, vector, got) => {
    await expect(refused(vector)).rejects.toThrow(
      `rows[0].vector must be finite numbers that are not all 0, ${got}`,
    );
  });

  it("is refused when it has no dimension, without advice on shorter vectors", async () => {
    await expect(refused(new Float32Array(0))).rejects.toThrow(/dimensions, got 0$/);
  });

  it("is refused when it is too long, with advice on shorter vectors", async () => {
    const length = VECTOR_LIMITS.maxDimension + 1;
    await expect(refused(new Float32Array(length).fill(1))).rejects.toThrow(
      new RegExp(`got ${length}: many models make shorter vectors .* "dimensions"$`),
    );
  });
});
