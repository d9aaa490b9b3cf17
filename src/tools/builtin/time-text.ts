import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";

export type TimeText = {
  /** With the zone's offset: `2026-11-20T10:30:00+01:00`. */
  readonly iso: string;
  /** `2026-11-20` */
  readonly date: string;
  /** `10:30:00`, 24 hours. */
  readonly time: string;
  /** In English: `Friday`. */
  readonly weekday: string;
  /** As it was asked for. */
  readonly timeZone: string;
};

/** The moment `nowMs` as a clock on a wall of `timeZone` shows it. Throws `invalid_input` for an unknown zone. */
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
    // Some runtimes also take offsets such as +01:00, others do not: names only.
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
