// Days as numbers, 0 = 1970-01-01: no time of day, no time zones. Years 1000 to 9999.
import { isoTime } from "../../base/clock.ts";

const DAY_MS = 86_400_000;
const WEEKDAYS = [
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
] as const;
const FIRST_DAY = Date.UTC(1000, 0, 1) / DAY_MS;
const LAST_DAY = Date.UTC(9999, 11, 31) / DAY_MS;

export type DayParts = { readonly year: number; readonly month: number; readonly day: number };

/** Returns the day of a `YYYY-MM-DD` text; undefined for other texts and nonexistent days. */
export function parseDay(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const dayNumber = Date.UTC(year, month - 1, day) / DAY_MS;
  return isInCalendar(dayNumber) && formatDay(dayNumber) === text ? dayNumber : undefined;
}

export function isInCalendar(dayNumber: number): boolean {
  return dayNumber >= FIRST_DAY && dayNumber <= LAST_DAY;
}

export function formatDay(dayNumber: number): string {
  return isoTime(dayNumber * DAY_MS).slice(0, 10);
}

export function partsOf(dayNumber: number): DayParts {
  const [year = 0, month = 0, day = 0] = formatDay(dayNumber).split("-").map(Number);
  return { year, month, day };
}

/** Returns the UTC day of a time. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

export function weekdayOf(dayNumber: number): string {
  return WEEKDAYS[((dayNumber % 7) + 7) % 7] ?? "";
}

/**
 * Returns the same day some months later; the month's last day if it has no such day (31 January + 1 → 28 February).
 */
export function addMonths(dayNumber: number, months: number): number {
  const { year, month, day } = partsOf(dayNumber);
  const lastOfMonth = Date.UTC(year, month + months, 0) / DAY_MS;
  const firstOfMonth = Date.UTC(year, month - 1 + months, 1) / DAY_MS;
  return Math.min(firstOfMonth + day - 1, lastOfMonth);
}
