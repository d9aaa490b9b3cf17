import { expect, it } from "vitest";
import { timeIn } from "../../../../src/tools/builtin/time-text.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 23, 30, 5);

it("shows UTC unless asked otherwise", () => {
  expect(timeIn(NOW_MS)).toEqual({
    iso: "2026-11-20T23:30:05+00:00",
    date: "2026-11-20",
    time: "23:30:05",
    weekday: "Friday",
    timeZone: "UTC",
  });
});

it("shows the wall clock of a zone, its own day and its offset", () => {
  expect(timeIn(NOW_MS, "Europe/Berlin")).toMatchObject({
    iso: "2026-11-21T00:30:05+01:00",
    time: "00:30:05",
    weekday: "Saturday",
  });
  expect(timeIn(NOW_MS, "Asia/Kolkata")).toMatchObject({ iso: "2026-11-21T05:00:05+05:30" });
  expect(timeIn(Date.UTC(2026, 6, 1), "America/New_York")).toMatchObject({
    iso: "2026-06-30T20:00:00-04:00",
  });
});

it.each(["Mars/Base", "", "+01:00", "Europe/Berlin; x"])("refuses the zone %j", (zone) => {
  expect(() => timeIn(NOW_MS, zone)).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining("IANA name"),
    }),
  );
});
