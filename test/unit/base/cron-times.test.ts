import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cronIssues, CronTimes } from "../../../src/base/cron-times.ts";
import { slotRunId } from "../../../src/triggers/schedule-runner.ts";

const BERLIN = "Europe/Berlin";

function slots(times: string | CronTimes, from: string, count: number): readonly string[] {
  const cron = typeof times === "string" ? new CronTimes(times, BERLIN) : times;
  return cron
    .after(Date.parse(from), count)
    .map((slot) => new Date(slot).toISOString().replace(":00.000Z", "Z"));
}

describe("slots", () => {
  it("are at the local time of the zone, summer and winter", () => {
    expect(slots("0 7 * * 1-5", "2026-10-23T00:00:00Z", 3)).toEqual([
      "2026-10-23T05:00Z",
      "2026-10-26T06:00Z",
      "2026-10-27T06:00Z",
    ]);
    expect(slots(new CronTimes("0 7 * * *", "Asia/Kathmandu"), "2026-06-01T00:00:00Z", 1)).toEqual([
      "2026-06-01T01:15Z",
    ]);
  });

  it("CT2: match either the day of the month or the day of the week", () => {
    expect(slots(new CronTimes("0 0 13 * FRI", "UTC"), "2026-11-01T00:00:00Z", 3)).toEqual([
      "2026-11-06T00:00Z",
      "2026-11-13T00:00Z",
      "2026-11-20T00:00Z",
    ]);
  });

  it("CT3: at a time skipped by a clock change come right after the change", () => {
    const day = "2026-03-28T20:00:00Z"; // clocks go from 02:00 to 03:00, which is 01:00 UTC
    expect(slots("30 2 * * *", day, 2)).toEqual(["2026-03-29T01:00Z", "2026-03-30T00:30Z"]);
    expect(slots("30 2,14 * * *", day, 2)).toEqual(["2026-03-29T01:00Z", "2026-03-29T12:30Z"]);
  });

  it("CT3: at a time that happens twice come the first time only", () => {
    const day = "2026-10-24T20:00:00Z"; // clocks go from 03:00 to 02:00, at 01:00 UTC
    expect(slots("30 2 * * *", day, 2)).toEqual(["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
    expect(slots("30 2,14 * * *", day, 2)).toEqual(["2026-10-25T00:30Z", "2026-10-25T13:30Z"]);
  });

  it("CT4: of an interval keep their distance through both clock changes", () => {
    expect(slots("*/30 * * * *", "2026-03-29T00:00:00Z", 4)).toEqual([
      "2026-03-29T00:30Z",
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
      "2026-03-29T02:00Z",
    ]);
    expect(slots("30 * * * *", "2026-10-24T23:40:00Z", 3)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-25T01:30Z",
      "2026-10-25T02:30Z",
    ]);
    expect(slots("0 */2 * * *", "2026-03-28T23:30:00Z", 2)).toEqual([
      "2026-03-29T02:00Z", // 02:00 was skipped
      "2026-03-29T04:00Z",
    ]);
  });

  it("are the same when searched forwards and backwards, and are whole minutes", () => {
    const crons = ["*/7 * * * *", "30 2 * * *", "15,45 */3 * * *", "0 2-3 25 3,10 *", "@hourly"];
    const zones = [BERLIN, "America/New_York", "Australia/Lord_Howe", "UTC"];
    const changes = [Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25), Date.UTC(2026, 10, 1)];
    fc.assert(
      fc.property(
        fc.record({
          cron: fc.constantFrom(...crons),
          zone: fc.constantFrom(...zones),
          changeMs: fc.constantFrom(...changes),
          minutes: fc.integer({ min: -36 * 60, max: 36 * 60 }),
        }),
        ({ cron, zone, changeMs, minutes }) => {
          const times = new CronTimes(cron, zone);
          const fromMs = changeMs + minutes * 60_000 + 59_999;
          const next = times.after(fromMs, 3);
          expect(times.until(next[2] ?? 0, 3)).toEqual(next);
          expect(times.until((next[2] ?? 0) - 1, 2)).toEqual(next.slice(0, 2));
          expect(next.every((slot) => slot % 60_000 === 0)).toBe(true);
        },
      ),
      { seed: 11, numRuns: 150 },
    );
  });

  it("are part of the ids of their runs", () => {
    expect(slotRunId("digest", Date.UTC(2026, 10, 20, 6, 5))).toBe("digest-20261120T0605Z");
  });
});

describe("refused expressions", () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const found = (cron: string, timeZone = "UTC") => cronIssues({ cron, timeZone, nowMs });

  it.each([
    ["every day", "/cron", "expected five fields"],
    ["* * * * * *", "/cron", "no seconds"],
    ["2026-01-01T00:00:00", "/cron", "expected five fields"],
    ["60 * * * *", "/cron", "minute"],
    ["* * * * FUNDAY", "/cron", "expected a cron expression"],
    ["@reboot", "/cron", "expected a cron expression"],
    ["0 0 30 2 *", "/cron", "at least one future time"],
  ])("CT1: %s", (cron, path, expected) => {
    const [issue, ...more] = found(cron);
    expect(more).toEqual([]);
    expect(issue?.path).toBe(path);
    expect(issue?.message).toContain(expected);
    expect(issue?.message).toContain(JSON.stringify(cron));
  });

  it("are reported together with refused time zones", () => {
    expect(found("* * * *", "Mars/Base").map(({ path }) => path)).toEqual(["/timeZone", "/cron"]);
    expect(found("@daily", "Europe/Berlin")).toEqual([]);
  });
});
