import { expect, it } from "vitest";
import { isoTime } from "../../../src/base/clock.ts";

it("writes times as Date does, in any order", () => {
  const some = [
    0, 999, 1000, 1_763_935_200_007, 1_763_935_200_070, 1_763_935_200_700, 1_763_935_199_999,
  ];
  const odd = [-1, -1000, -62_198_755_200_001, 1.5, 253_402_300_800_123, 8.64e15];
  for (const atMs of [...some, ...odd, ...some.toReversed()])
    expect(isoTime(atMs)).toBe(new Date(atMs).toISOString());
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])
    expect(() => isoTime(wrong)).toThrow(RangeError);
});
