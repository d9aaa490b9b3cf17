// Steps waiting on their rows for the next attempt (J17): longer than a drive should sleep, and past the end of the
// drive.
//
// Owns the wake-up of a step within this drive, and makes sure that a row below an ended step wakes no code. If the
// drive has ended by then, the alarm of the run's owner begins the drive of the next attempt.
import type { Clock } from "../base/clock.ts";
import { MAX_TIMER_MS } from "../base/shared-timer.ts";
import type { Activity, ActivityCount } from "./activity.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { StepRecord } from "./journal-store.ts";
import { isRetryWait } from "./retry-wait.ts";

export type RestingStepsOptions = {
  readonly clock: Clock;
  readonly end: DriveEnd;
  readonly rows: JournalRows;
  readonly count: ActivityCount;
  /** Called when a step starts to rest. */
  readonly onRest: () => void;
};

export class RestingSteps {
  readonly #options: RestingStepsOptions;
  /** Waiting steps of this drive, by key, each with a function to cancel its timer. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: RestingStepsOptions) {
    this.#options = options;
  }

  /** Resolves when the step may be tried again; never if the drive ends first. The step is not busy meanwhile. */
  until(activity: Activity, { key, wait }: StepRecord): Promise<void> {
    const { clock, end, count, onRest } = this.#options;
    const delayMs = Math.max(0, (wait?.dueAtMs ?? 0) - clock.now());
    count.idle(activity);
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(key);
        if (end.isOver || end.isClosing()) return;
        count.start(activity);
        resolve();
      };
      const cancel = delayMs > MAX_TIMER_MS ? () => {} : clock.after(delayMs, wake);
      this.#waiting.set(key, cancel);
      onRest();
    });
  }

  /** Cancels waiting steps below an ended step: no code asks for them any more. */
  withdrawBelow(key: string): void {
    for (const [waiting, cancel] of this.#waiting) {
      if (!waiting.startsWith(`${key}/`)) continue;
      cancel();
      this.#waiting.delete(waiting);
      this.withdraw(waiting);
    }
  }

  /** Removes the due time from the row of a step no longer requested. */
  withdraw(key: string): void {
    const { rows } = this.#options;
    const row = rows.get(key);
    if (row !== undefined && isRetryWait(row)) rows.put({ ...row, wait: null });
  }

  /** Lets go of all (J13). */
  clear(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }
}
