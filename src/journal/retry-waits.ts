// Steps waiting on their rows for the next attempt (J17): longer than a drive should sleep, and past the end of the
// drive.
//
// Owns the wake-up of a step within this drive, and makes sure that a row below an ended step wakes no code. If the
// drive has ended by then, the alarm of the run's owner begins the drive of the next attempt.
import { isoTime, type Clock } from "../base/clock.ts";
import { cut } from "../base/cut.ts";
import type { ErrorRecord } from "../base/error.ts";
import type { Outage } from "../base/retry.ts";
import { MAX_TIMER_MS } from "../base/shared-timer.ts";
import type { Activity, ActivityCount } from "./activity.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { StepRecord, StepSummary, WaitRequest } from "./journal-store.ts";

/** Maximum characters of a failure shown to readers of a waiting run. */
const MAX_REASON = 500;

export type RetryWaitsOptions = {
  readonly clock: Clock;
  readonly end: DriveEnd;
  readonly rows: JournalRows;
  readonly count: ActivityCount;
  /** Called when a step starts to rest. */
  readonly onRest: () => void;
};

export class RetryWaits {
  readonly #options: RetryWaitsOptions;
  /** Waiting steps of this drive, by key, each with a function to cancel its timer. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: RetryWaitsOptions) {
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

/** True if the row is a step waiting for its next attempt, and not a wait requested by code. */
export function isRetryWait(row: Omit<StepSummary, "bytes">): boolean {
  return row.kind !== "wait" && row.state === "waiting" && row.error !== null && row.wait !== null;
}

/**
 * Builds the wait on the row of a step before its next attempt: the server, the start of the outage, the reason and the
 * due time.
 */
export function waitForTry(
  row: StepRecord,
  next: {
    /** Current outage of the server. Undefined if the step's retry policy counts the attempts. */
    readonly outage: Outage | undefined;
    readonly error: Pick<ErrorRecord, "message">;
    readonly dueAtMs: number;
  },
): WaitRequest {
  const { error, dueAtMs, outage } = next;
  const whom = row.label ?? "a server";
  const since = outage === undefined ? "" : ` since ${isoTime(outage.sinceMs)}`;
  const prompt = `waiting for ${whom}${since}: ${cut(error.message, MAX_REASON)}`;
  return { kind: "timer", prompt, dueAtMs, ...(outage ?? outageOf(row)) };
}

/** Returns the outage recorded on the row of a step. */
export function outageOf({ kind, wait }: StepRecord): Outage | undefined {
  if (kind === "wait" || wait?.sinceMs === undefined || wait.tries === undefined) return undefined;
  return { sinceMs: wait.sinceMs, tries: wait.tries };
}
