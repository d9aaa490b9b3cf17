// The slots of a cron expression in a time zone.
//
//   CT1. Five fields, or a nickname such as @daily. Seconds are refused: the Worker's own cron comes once a minute.
//   CT2. If both day of the month and day of the week are restricted, a slot needs to match only one of them, as in
//        every cron.
//   CT3. A fixed time of day skipped by a clock change has its slot right after the change. A repeated one has its slot
//        the first time only.
//   CT4. A cron with a step or a `*` in its minutes or hours is an interval: skipped times have no slot, and repeated
//        times have two.
import { Cron } from "croner";
import { errorMessage, type Issue } from "./error.ts";
import { preview } from "./json.ts";

const MINUTE_MS = 60_000;

/** Times are milliseconds since the epoch. */
export class CronTimes {
  readonly #cron: Cron;

  /** Throws for any cron or time zone reported by `cronIssues`. */
  constructor(cron: string, timezone: string) {
    // The first use of Intl costs a Worker 10 ms of its start, so UTC goes without.
    const zone = timezone === "UTC" ? { utcOffset: 0 } : { timezone };
    this.#cron = new Cron(cron, { ...zone, mode: "5-part", fixedTimeRule: "no-wildcard" });
  }

  /** The slots after this time, soonest first. */
  after(timeMs: number, count: number): readonly number[] {
    return this.#cron.nextRuns(count, new Date(timeMs)).map((slot) => slot.getTime());
  }

  /** Returns the first slot after this time; null if no slot follows. */
  next(timeMs: number): number | null {
    return this.after(timeMs, 1)[0] ?? null;
  }

  /** The last slots up to and including this time, oldest first. */
  until(timeMs: number, count: number): readonly number[] {
    const afterMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS + 1000;
    const slots = this.#cron.previousRuns(count, new Date(afterMs)).map((slot) => slot.getTime());
    return slots.toReversed();
  }
}

/** Problems of a cron expression and its time zone. */
export function cronIssues({
  cron,
  timeZone,
  nowMs,
}: {
  readonly cron: string;
  readonly timeZone: string;
  readonly nowMs: number;
}): readonly Issue[] {
  const issues: Issue[] = [];
  const known = isTimeZone(timeZone);
  if (!known)
    issues.push({
      path: "/timeZone",
      message: `expected a time zone such as "Europe/Berlin", got ${preview(timeZone)}`,
    });
  const fault = cronFault(cron, known ? timeZone : "UTC", nowMs);
  if (fault !== undefined)
    issues.push({ path: "/cron", message: `${fault}, got ${preview(cron)}` });
  return issues;
}

function cronFault(cron: string, timeZone: string, nowMs: number): string | undefined {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5 && !cron.startsWith("@"))
    return "expected five fields (minute, hour, day, month, day of the week; no seconds)";
  try {
    return new CronTimes(cron, timeZone).next(nowMs) === null
      ? "expected an expression with at least one future time, such as 0 7 * * *"
      : undefined;
  } catch (error) {
    const reason = errorMessage(error).replace(/^\w+: /, "");
    return `expected a cron expression ${rangeIn(reason) ?? `(${reason})`}`;
  }
}

/**
 * Returns the allowed values of the field named by a reason. The value in the reason differs from the input: days and
 * months are counted from 0 there.
 */
function rangeIn(reason: string): string | undefined {
  const [, field = ""] = /^Invalid value for (\w+): /.exec(reason) ?? [];
  const range = Object.hasOwn(RANGES, field) ? RANGES[field] : undefined;
  return range === undefined ? undefined : `with ${range}`;
}

const RANGES: Readonly<Record<string, string>> = {
  minute: "a minute from 0 to 59",
  hour: "an hour from 0 to 23",
  day: "a day from 1 to 31",
  month: "a month from 1 to 12 or JAN to DEC",
  dayOfWeek: "a day of the week from 0 to 7 or SUN to SAT",
};

function isTimeZone(name: string): boolean {
  if (name === "UTC") return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
