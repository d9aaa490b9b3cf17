import { expect, it } from "vitest";
import {
  formatAge,
  formatBytes,
  formatCost,
  formatDuration,
  inWords,
  shortId,
} from "../../../../console/parts/format.ts";

it("writes durations in common units", () => {
  const written = [0, 850, 1234, 59_940, 59_960, 184_000, 7_500_000, 273_600_000].map(
    formatDuration,
  );
  expect(written).toEqual([
    "0 ms",
    "850 ms",
    "1.2 s",
    "59.9 s",
    "1 min",
    "3 min 4 s",
    "2 h 5 min",
    "3 d 4 h",
  ]);
  expect(formatDuration(Number.NaN)).toBe("–");
});

it("writes costs below one cent with four significant digits", () => {
  expect([0, 1.239, 0.01, 0.0012346, 0.00000098766].map(formatCost)).toEqual([
    "$0",
    "$1.24",
    "$0.01",
    "$0.001235",
    "$0.0000009877",
  ]);
  expect(formatCost(undefined)).toBe("–");
});

it("formats past and future ages", () => {
  expect([3_000, 240_000, 7_200_000, -300_000].map(formatAge)).toEqual([
    "just now",
    "4 min ago",
    "2 h ago",
    "in 5 min",
  ]);
});

it("shortens generated ids, and no others", () => {
  expect(shortId("de37245e-a522-475d-9993-398a9cd4f46b")).toBe("de37245e");
  expect(shortId("lesson-1-of-the-week")).toBe("lesson-1-of-the-week");
  expect([formatBytes(812), formatBytes(14_200), formatBytes(2_100_000)]).toEqual([
    "812 B",
    "14 kB",
    "2.1 MB",
  ]);
  expect([inWords("expectedOutput"), inWords("max_retries")]).toEqual([
    "Expected output",
    "Max retries",
  ]);
});
