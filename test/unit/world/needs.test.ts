import { expect, it } from "vitest";
import type { Need } from "../../world/needs/need.ts";
import { needsOf } from "../../world/part.ts";

const need = (name: string): Need => ({
  name,
  what: name,
  seconds: 1,
  megabytes: 1,
  requirements: () => name,
  make: () => Promise.resolve(),
});

it("a slice has the needs that its part names for it, or all", () => {
  const [small, large] = [need("small"), need("large")];
  const part = { needs: [small, large], sliceNeeds: [small] };
  expect(needsOf(part, true)).toEqual([small]);
  expect(needsOf(part, false)).toEqual([small, large]);
  expect(needsOf({ needs: [large] }, true)).toEqual([large]);
});
