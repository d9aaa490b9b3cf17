import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";

export type TimeText = {
  /** Time with the zone's offset: `2026-11-20T10:30:00+01:00`. */
  readonly iso: string;
  /** `2026-11-20` */
  readonly date: string;
  /** `10:30:00`, 24 hours. */
  readonly time: string;
  /** Name in English: `Friday`. */
  readonly weekday: string;
  /** Name of the zone as requested. */
  readonly timeZone: string;
};

/** Returns the local time of `nowMs` in `timeZone`. Fails with `invalid_input` for an unknown zone. */
export function timeIn(nowMs: number, timeZone = "UTC"): TimeText {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  const date = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  const time = `${part("hour")}:${part("minute")}:${part("second")}`;
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
  return { iso: `${date}T${time}${offset}`, date, time, weekday: part("weekday"), timeZone };
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  try {
    // Only names are allowed, as some runtimes reject offsets such as +01:00.
    if (!/^[A-Za-z]/.test(timeZone)) throw new RangeError("not a name");
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      weekday: "long",
      timeZoneName: "longOffset",
    });
  } catch (error) {
    const message = `timeZone must be an IANA name such as Europe/Berlin or UTC, got ${preview(timeZone)}`;
    throw new EngineError("invalid_input", message, {
      cause: error,
      issues: [{ path: "/timeZone", message }],
    });
  }
}
