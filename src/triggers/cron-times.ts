// The slots of a cron text in a time zone.
//
//   CT1. Five fields, or a nickname such as @daily. Seconds are refused: the Worker's own cron comes once a minute.
//   CT2. Day of the month and day of the week: where both are given, one of them is enough, as in every cron.
//   CT3. A slot at a fixed time of day that the clock change leaps over comes when the clocks have changed; one that the
//        clocks show twice comes the first time only.
//   CT4. Slots of a cron with a step or a `*` in its minutes or hours are intervals: leapt over they do not come, shown
//        twice they come twice.
import { Cron } from "croner";
import { errorMessage, type Issue } from "../base/error.ts";
import { preview } from "../base/json.ts";

const MINUTE_MS = 60_000;

/** Times are milliseconds since the epoch. */
export class CronTimes {
  readonly #cron: Cron;

  /** Throws for what `cronIssues` names. */
  constructor(cron: string, timezone: string) {
    this.#cron = new Cron(cron, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard" });
  }

  /** The slots after this time, soonest first. */
  after(timeMs: number, count: number): readonly number[] {
    return this.#cron.nextRuns(count, new Date(timeMs)).map((slot) => slot.getTime());
  }

  /** The first slot after this time; null when none will come. */
  next(timeMs: number): number | null {
    return this.after(timeMs, 1)[0] ?? null;
  }

  /** The last slots up to this time and with it, oldest first. */
  until(timeMs: number, count: number): readonly number[] {
    const afterMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS + 1000;
    const slots = this.#cron.previousRuns(count, new Date(afterMs)).map((slot) => slot.getTime());
    return slots.toReversed();
  }
}

/** What is wrong with a cron text or its time zone. */
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
      ? "expected times that come about, and there is none"
      : undefined;
  } catch (error) {
    return `expected a cron text (${errorMessage(error).replace(/^\w+: /, "")})`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}
