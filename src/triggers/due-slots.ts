import type { MissedPolicy } from "./schedule-store.ts";
import type { CronTimes } from "../base/cron-times.ts";

/** Maximum number of slots of one schedule started by one tick. */
export const MAX_SLOTS = 100;
/** With `missed: "skip"`, a slot counts as missed after this delay. */
const LATE_MS = 5 * 60_000;

export type DueSlots = {
  /** The slots to start, oldest first. */
  readonly slots: readonly number[];
  /** First and last of the slots that will not be started. */
  readonly missed?: { readonly fromMs: number; readonly untilMs: number };
};

/** Returns the due slots of a schedule, from `nextAtMs` until now. */
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
