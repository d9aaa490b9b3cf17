import type { MissedPolicy } from "./schedule-store.ts";
import type { CronTimes } from "./cron-times.ts";

/** Slots of one schedule that are started in one go. */
export const MAX_SLOTS = 100;
/** With `skip`, a slot that is looked at later than this is missed. */
const LATE_MS = 5 * 60_000;

export type DueSlots = {
  /** To be started, oldest first. */
  readonly slots: readonly number[];
  /** The first and the last slot that nobody will start. */
  readonly missed?: { readonly fromMs: number; readonly untilMs: number };
};

/** What is due of a schedule whose next slot was to be `nextAtMs`. */
export function dueSlots(
  times: CronTimes,
  { nextAtMs, missed }: { readonly nextAtMs: number; readonly missed: MissedPolicy },
  nowMs: number,
): DueSlots {
  const wanted = missed === "all" ? MAX_SLOTS : 1;
  const due = times.until(nowMs, wanted + 1).filter((slot) => slot >= nextAtMs);
  const newest = due.slice(-wanted);
  const slots = missed === "skip" ? newest.filter((slot) => nowMs - slot <= LATE_MS) : newest;
  const [first] = slots;
  const lastMissed = first === undefined ? due.at(-1) : times.until(first - 1, 1)[0];
  return lastMissed === undefined || lastMissed < nextAtMs
    ? { slots }
    : { slots, missed: { fromMs: nextAtMs, untilMs: lastMissed } };
}
