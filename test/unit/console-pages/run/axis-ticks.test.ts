import { expect, it } from "vitest";
import { makeAxis } from "../../../../console/pages/run/axis.ts";
import { ticksOf, tickText } from "../../../../console/pages/run/axis-ticks.ts";

const texts = (endMs: number, busy = [{ startMs: 0, endMs }], startMs = 0): readonly string[] =>
  ticksOf(makeAxis(busy, { startMs, endMs }), 0).map(({ ms }) => tickText(ms));

it("marks the axis of a run at round times", () => {
  expect(texts(4900)).toEqual(["0", "1 s", "2 s", "3 s", "4 s"]);
  expect(texts(90)).toEqual(["0", "20 ms", "40 ms", "60 ms", "80 ms"]);
  expect(texts(7 * 60_000)).toEqual(["0", "2 min", "4 min", "6 min"]);
  expect(texts(0)).toEqual(["0", "1 ms"]);
});

it("begins with the first round time of a part of the axis", () => {
  expect(texts(9500, undefined, 7300)).toEqual(["7.5 s", "8 s", "8.5 s", "9 s", "9.5 s"]);
});

it("has no mark in a folded stretch, also when it is months long", () => {
  const monthsMs = 90 * 24 * 3_600_000;
  const busy = [
    { startMs: 0, endMs: 4000 },
    { startMs: monthsMs, endMs: monthsMs + 4000 },
  ];
  const axis = makeAxis(busy, { startMs: 0, endMs: monthsMs + 4000 });
  const ticks = ticksOf(axis, 0);
  expect(ticks.length).toBeLessThan(9);
  for (const { ms } of ticks) expect(ms <= 4000 || ms >= monthsMs).toBe(true);
  expect(ticks.map(({ place }) => place)).toEqual(
    ticks.map(({ place }) => place).toSorted((one, other) => one - other),
  );
});
