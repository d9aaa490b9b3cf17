// Steps that wait on their rows for their next try (J17): longer than a drive should sleep, and through the end of the drive.
//
// Owns when a step is woken in this drive, and that a row of a step that ended around it wakes nobody. The alarm of the run's owner
// begins the drive in which it is tried, if this one has ended by then.
import { isoTime, type Clock } from "../base/clock.ts";
import { cut } from "../base/cut.ts";
import type { ErrorRecord } from "../base/error.ts";
import type { Outage } from "../base/retry.ts";
import { MAX_TIMER_MS } from "../base/shared-timer.ts";
import type { Activity, ActivityCount } from "./activity.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { StepRecord, StepSummary, WaitRequest } from "./journal-store.ts";

/** Of a failure, what people read who see that a run waits. In characters. */
const MAX_REASON = 500;

export type RetryWaitsOptions = {
  readonly clock: Clock;
  readonly end: DriveEnd;
  readonly rows: JournalRows;
  readonly count: ActivityCount;
  /** Called when a step has come to rest. */
  readonly onRest: () => void;
};

export class RetryWaits {
  readonly #options: RetryWaitsOptions;
  /** Steps that wait in this drive, by key, each with what cancels its timer. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: RetryWaitsOptions) {
    this.#options = options;
  }

  /** Resolves when the step may be tried again; never in a drive that ends before. The step is not busy meanwhile. */
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

  /** Nobody asks any more for what waits below a step that has ended. */
  withdrawBelow(key: string): void {
    for (const [waiting, cancel] of this.#waiting) {
      if (!waiting.startsWith(`${key}/`)) continue;
      cancel();
      this.#waiting.delete(waiting);
      this.withdraw(waiting);
    }
  }

  /** Takes the time from the row of a step that nobody asks for any more. */
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

/** Whether the row is of a step that waits for its next try, and not of a wait that the code asked for. */
export function isRetryWait(row: Omit<StepSummary, "bytes">): boolean {
  return row.kind !== "wait" && row.state === "waiting" && row.error !== null && row.wait !== null;
}

/** What the row of a step says that waits for its next try: for whom since when, why, and until when. */
export function waitForTry(
  row: StepRecord,
  next: {
    /** The outage that it waits for. Without one it is tried again as often as its policy says. */
    readonly outage: Outage | undefined;
    readonly error: Pick<ErrorRecord, "message">;
    readonly dueAtMs: number;
  },
): WaitRequest {
  const { error, dueAtMs, outage } = next;
  const whom = row.label ?? "what it asks";
  const since = outage === undefined ? "" : ` since ${isoTime(outage.sinceMs)}`;
  const prompt = `waiting for ${whom}${since}: ${cut(error.message, MAX_REASON)}`;
  return { kind: "timer", prompt, dueAtMs, ...(outage ?? outageOf(row)) };
}

/** The outage that a step has been in, as its row says. */
export function outageOf({ kind, wait }: StepRecord): Outage | undefined {
  if (kind === "wait" || wait?.sinceMs === undefined || wait.tries === undefined) return undefined;
  return { sinceMs: wait.sinceMs, tries: wait.tries };
}
