import { expect, it } from "vitest";
import { durationMs } from "../../../src/base/duration.ts";

it("durations are written with a unit, or as seconds", () => {
  expect(["30s", "5m", "2h", "1d", "2w", "1y", 90, 0].map(durationMs)).toEqual([
    30_000, 300_000, 7_200_000, 86_400_000, 1_209_600_000, 31_536_000_000, 90_000, 0,
  ]);
  for (const wrong of ["", "5", "5 m", "-1s", "1x", "1.5h", 1.5, -1, null, "9999999999d", "1S"])
    expect(() => durationMs(wrong)).toThrow(/a duration is written as/);
});
