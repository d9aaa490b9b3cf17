// Parked waits: the open waits of this drive's code, and their end while the drive continues.
import type { Clock } from "../base/clock.ts";
import type { DriveEnd } from "./drive-end.ts";
import type { HandOut } from "./hand-out.ts";
import type { JournalRows } from "./journal-rows.ts";
import type { WaitRequest } from "./journal-store.ts";
import { isTakenBack } from "./replay-plan.ts";
import { expiredAnswer } from "./settle-wait.ts";
import { MAX_TIMER_MS } from "../base/shared-timer.ts";
import { failure } from "./step-row.ts";
import type { Answer, JournalObserver } from "./step-spec.ts";

export type ParkedWaitsOptions = {
  readonly clock: Clock;
  readonly end: DriveEnd;
  readonly rows: JournalRows;
  readonly results: HandOut;
  readonly observer: JournalObserver;
};

type Parked = { readonly deliver: () => void; readonly cancelTimer: (() => void) | undefined };

export class ParkedWaits {
  readonly #options: ParkedWaitsOptions;
  readonly #parked = new Map<string, Parked>();

  constructor(options: ParkedWaitsOptions) {
    this.#options = options;
  }

  /** `deliver` passes the answer to the code once it is recorded and its turn has come. */
  park(key: string, wait: WaitRequest, deliver: () => void): void {
    this.#parked.set(key, { deliver, cancelTimer: this.#startTimer(key, wait) });
  }

  /** See `Journal.settle`. */
  settle(key: string, answer: Answer): boolean {
    const { clock, end, rows, results } = this.#options;
    if (end.isOver) return false;
    const seq = rows.settle(key, answer, clock.now());
    if (seq === undefined) return false;
    const parked = this.#parked.get(key);
    if (parked !== undefined) {
      this.#parked.delete(key);
      parked.cancelTimer?.();
      results.settled(seq, parked.deliver);
    }
    return true;
  }

  /** Starts a timer for a wait that expires within the drive; the owner's alarm serves all others. */
  #startTimer(key: string, wait: WaitRequest): (() => void) | undefined {
    const { clock, end, observer } = this.#options;
    if (wait.dueAtMs === undefined) return undefined;
    const delayMs = Math.max(0, wait.dueAtMs - clock.now());
    if (delayMs > MAX_TIMER_MS) return undefined;
    return clock.after(delayMs, () => {
      if (end.isOver) return;
      const answer = expiredAnswer(key, wait);
      end.storage(() =>
        observer.due === undefined ? this.settle(key, answer) : observer.due(key, answer),
      );
    });
  }

  /** Withdraws a wait whose step has ended (J14). Its code gets no answer. */
  withdraw(key: string): void {
    const { end, observer } = this.#options;
    const error = failure("wait_expired", `the step that asked has ended without ${key}`);
    end.storage(() =>
      observer.withdrawn === undefined
        ? this.settle(key, { error })
        : observer.withdrawn(key, { error }),
    );
  }

  /** Withdraws the open waits below an ended step, and those among `unasked`. Waits for children stay. */
  withdrawBelow(key: string, unasked: readonly string[]): void {
    if (this.#parked.size === 0 && unasked.length === 0) return;
    const below = [...this.#parked.keys()].filter((parked) => parked.startsWith(`${key}/`));
    for (const open of [...below, ...unasked]) {
      const row = this.#options.rows.get(open);
      if (row === undefined || row.state !== "waiting" || !isTakenBack(row)) continue;
      this.#parked.get(open)?.cancelTimer?.();
      this.#parked.delete(open);
      this.withdraw(open);
    }
  }

  /** Lets go of all (J13). */
  clear(): void {
    for (const { cancelTimer } of this.#parked.values()) cancelTimer?.();
    this.#parked.clear();
  }
}
