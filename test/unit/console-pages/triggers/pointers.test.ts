import { expect, it } from "vitest";
import { placesIn } from "../../../../console/pages/triggers/pointers.ts";
import { timeIn } from "../../../../console/pages/triggers/zones.ts";
import { valueAtPointer } from "../../../../src/base/json-pointer.ts";

it("names every place of a sample by its pointer (CO25)", () => {
  const sample = { "a/b": { "c~d": [1, { e: null }] }, "": "empty" };
  const places = placesIn(sample);
  expect(places.map(({ pointer }) => pointer)).toEqual([
    "",
    "/a~1b",
    "/a~1b/c~0d",
    "/a~1b/c~0d/0",
    "/a~1b/c~0d/1",
    "/a~1b/c~0d/1/e",
    "/",
  ]);
  for (const { pointer, preview } of places)
    expect(JSON.stringify(valueAtPointer(sample, pointer))).toBe(preview);
  expect(places[2]?.name).toBe("c~d");
});

it("is bounded for samples of any size (CO25)", () => {
  expect(placesIn(Array.from({ length: 5000 }, (_, index) => index))).toHaveLength(300);
});

it("formats a time in two zones, across the change of clocks (CO25)", () => {
  expect(timeIn("Europe/Berlin", "2026-07-01T05:00:00Z")).toContain("07:00");
  expect(timeIn("Europe/Berlin", "2026-12-01T06:00:00Z")).toContain("07:00");
  expect(timeIn("Asia/Tokyo", "2026-12-01T22:30:00Z")).toContain("2 Dec");
  expect(timeIn("Not/AZone", "2026-12-01T06:00:00Z")).toBe("2026-12-01T06:00:00Z");
});
