import { expect, it } from "vitest";
import { makeAxis } from "../../../../console/pages/run/axis.ts";

const DAY = 86_400_000;

it("folds a wait of three months, and leaves bars before and after it readable (CO18)", () => {
  const axis = makeAxis(
    [
      { startMs: 0, endMs: 60_000 },
      { startMs: 90 * DAY, endMs: 90 * DAY + 60_000 },
    ],
    { startMs: 0, endMs: 90 * DAY + 60_000 },
  );
  expect(axis.folds).toHaveLength(1);
  expect(axis.folds[0]).toMatchObject({ startMs: 60_000, endMs: 90 * DAY });
  expect(axis.at(60_000)).toBeCloseTo(0.47);
  expect(axis.at(90 * DAY)).toBeCloseTo(0.53);
  expect(axis.at(90 * DAY + 60_000)).toBeCloseTo(1);
});

it("folds no short time, and never runs backwards", () => {
  const axis = makeAxis(
    [
      { startMs: 0, endMs: 50_000 },
      { startMs: 52_000, endMs: 60_000 },
      { startMs: 90_000, endMs: 100_000 },
    ],
    { startMs: 0, endMs: 100_000 },
  );
  expect(axis.folds.map(({ startMs }) => startMs)).toEqual([60_000]);
  const places = Array.from({ length: 101 }, (_, percent) => axis.at(percent * 1000));
  expect(places.toSorted((one, other) => one - other)).toEqual(places);
  expect([places[0], places.at(-1)]).toEqual([0, 1]);
});

it("places the end of an instant run", () => {
  expect(makeAxis([], { startMs: 5, endMs: 5 }).at(5)).toBe(0);
});

it("names the moment at each place, in folds too", () => {
  const axis = makeAxis(
    [
      { startMs: 0, endMs: 10_000 },
      { startMs: 990_000, endMs: 1_000_000 },
    ],
    { startMs: 0, endMs: 1_000_000 },
  );
  for (const ms of [0, 4_000, 10_000, 500_000, 990_000, 995_000, 1_000_000])
    expect(axis.msAt(axis.at(ms))).toBeCloseTo(ms, 3);
});
