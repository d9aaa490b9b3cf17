import type { ScheduleDetails } from "../client/index.ts";
import { plain } from "./output.ts";

/** Describes a schedule with its next times, as lines. */
export function scheduleLines(schedule: ScheduleDetails): string {
  const { id, cron, timeZone, target, paused, next, runs } = schedule;
  const slots = paused ? ["paused: no run is due"] : next.map((slot) => inZone(slot, timeZone));
  return [
    `${id}  ${cron} (${timeZone})  ${target.kind} ${plain(target.name)}`,
    ...slots.map((slot) => `  next  ${slot}`),
    ...runs.map(({ at, outcome, runId = "" }) => `  last  ${at}  ${outcome}  ${runId}`.trimEnd()),
  ].join("\n");
}

/** Formats a time in its own zone, with the day of the week, and in UTC. */
export function inZone(at: string, timeZone: string): string {
  const local = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const of = Object.fromEntries(
    local.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
  );
  const clock = `${of["weekday"]} ${of["year"]}-${of["month"]}-${of["day"]} ${of["hour"]}:${of["minute"]}`;
  return timeZone === "UTC" ? `${clock} UTC` : `${clock} ${timeZone}  (${at})`;
}
