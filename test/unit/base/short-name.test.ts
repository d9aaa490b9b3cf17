import { expect, it } from "vitest";
import { shortName } from "../../../src/base/short-name.ts";

it("keeps a name up to the length, and ends a longer one with a hash of the whole", () => {
  expect(shortName("a".repeat(40), 40)).toBe("a".repeat(40));
  const [one, other] = ["x", "y"].map((end) => shortName(`${"a".repeat(40)}${end}`, 40));
  expect(one).toMatch(/^a{23}-[0-9a-f]{16}$/);
  expect(one).toBe(shortName(`${"a".repeat(40)}x`, 40));
  expect(other).not.toBe(one);
});
