import { expect, it } from "vitest";
import type { MissedPolicy } from "../../../src/triggers/schedule-store.ts";
import { CronTimes } from "../../../src/base/cron-times.ts";
import { dueSlots, MAX_SLOTS } from "../../../src/triggers/due-slots.ts";

const hourly = new CronTimes("0 * * * *", "UTC");
const minutely = new CronTimes("* * * * *", "UTC");
const at = (time: string): number => Date.parse(`2026-05-04T${time}Z`);

function due(times: CronTimes, [next, now, missed]: [string, string, MissedPolicy]) {
  const found = dueSlots(times, { nextAtMs: at(next), missed }, at(now));
  const text = (slot: number): string => new Date(slot).toISOString().slice(11, 16);
  return {
    slots: found.slots.map(text),
    ...(found.missed === undefined
      ? undefined
      : { missed: [text(found.missed.fromMs), text(found.missed.untilMs)] }),
  };
}

it.each<[MissedPolicy]>([["skip"], ["latest"], ["all"]])("%s starts a slot on time", (missed) => {
  expect(due(hourly, ["09:00:00", "09:00:00", missed])).toEqual({ slots: ["09:00"] });
  expect(due(hourly, ["09:00:00", "09:00:40", missed])).toEqual({ slots: ["09:00"] });
  expect(due(hourly, ["09:00:00", "08:59:59", missed])).toEqual({ slots: [] });
});

it("after a gap, latest starts the newest slot and reports the others as missed", () => {
  expect(due(hourly, ["06:00:00", "09:30:00", "latest"])).toEqual({
    slots: ["09:00"],
    missed: ["06:00", "08:00"],
  });
});

it("after a gap, skip starts only the slot due now", () => {
  expect(due(hourly, ["06:00:00", "09:30:00", "skip"])).toEqual({
    slots: [],
    missed: ["06:00", "09:00"],
  });
  expect(due(hourly, ["06:00:00", "09:01:00", "skip"])).toEqual({
    slots: ["09:00"],
    missed: ["06:00", "08:00"],
  });
  expect(due(minutely, ["06:00:00", "09:30:10", "skip"]).slots).toEqual(["09:30"]);
});

it("after a gap, all starts every slot, up to the newest 100", () => {
  expect(due(hourly, ["06:00:00", "09:30:00", "all"])).toEqual({
    slots: ["06:00", "07:00", "08:00", "09:00"],
  });
  const { slots, missed } = due(minutely, ["06:00:00", "09:30:00", "all"]);
  expect(slots).toHaveLength(MAX_SLOTS);
  expect([slots[0], slots.at(-1)]).toEqual(["07:51", "09:30"]);
  expect(missed).toEqual(["06:00", "07:50"]);
});
