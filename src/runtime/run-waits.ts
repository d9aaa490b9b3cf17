// The end of a run's waits, during a drive or without one: by an answer, a child's report, an event from outside, or
// their due time.
import type { Clock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { Journal } from "../journal/journal.ts";
import { isRetryWait } from "../journal/retry-wait.ts";
import { expiredAnswer, settleWait } from "../journal/settle-wait.ts";
import type { Answer } from "../journal/step-spec.ts";
import type { ChildRuns } from "./children/child-runs.ts";
import type { OutsideEvents } from "./outside-events.ts";
import type { RunDeliveries } from "./deliveries/run-deliveries.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import type { RunWriter } from "./run-writer.ts";
import { isDrivable } from "./run.ts";

export type RunWaitsOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly writer: RunWriter;
  readonly deliveries: RunDeliveries;
  readonly children: ChildRuns;
  /** Journal of the current drive. */
  readonly journal: () => Journal | undefined;
};

export class RunWaits {
  readonly #options: RunWaitsOptions;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #reader: RunReader;
  readonly #writer: RunWriter;
  #answeredAfterDrive = false;
  #outside: OutsideEvents | undefined;

  constructor(options: RunWaitsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#reader = options.reader;
    this.#writer = options.writer;
  }

  /** An answer came when the drive was over and its end not yet concluded: the run has to be driven on. */
  get answeredAfterDrive(): boolean {
    return this.#answeredAfterDrive;
  }

  driveBegins(): void {
    this.#answeredAfterDrive = false;
    this.#options.children.forgetCount();
  }

  /** Settles waits and writes the consequences: all or none. */
  settling(change: () => void): void {
    try {
      this.#writer.transaction(change);
    } catch (error) {
      this.#options.children.forgetCount();
      this.#options.journal()?.fail(error); // it may have taken an answer that was not stored
      throw error;
    }
  }

  /** Settles a wait; false when it is not open. Within `settling`. */
  settle(key: string, answer: Answer, how: { by?: string; expired?: boolean } = {}): boolean {
    const { journal: rows } = this.#store;
    const journal = this.#options.journal();
    const seq = rows.lastSeq() + 1;
    const settled =
      journal?.settle(key, answer) ||
      settleWait(rows, key, { answer, seq, atMs: this.#clock.now() });
    if (!settled) return false;
    this.#answeredAfterDrive = journal?.ended ?? false;
    this.#writer.events.emit("wait_settled", { path: key }, { key, ...how });
    return true;
  }

  /** Resumes a waiting run. A held one keeps the answer until matching code is deployed (CC2). */
  goOn(): void {
    const record = this.#reader.record();
    if (record.status !== "waiting" || record.paused) return;
    if (record.held !== undefined) return this.#writer.change(record);
    this.#writer.change({ ...record, status: "running" });
    this.#writer.emit("run_resumed", {}, record.version);
  }

  /** Settles a wait at its due time, and cancels the child it waited for. */
  expire(key: string, answer: Answer): void {
    const { event, runId: child } = this.#store.journal.get(key)?.wait ?? {};
    // A stored event arrived before the due time: a crash may have come before it was offered.
    if (event !== undefined) this.offerKeptEvents();
    this.settling(() => {
      if (!this.settle(key, answer, { expired: true })) return;
      if (child !== undefined) this.#options.deliveries.addChildren("cancel", [child]);
      this.goOn();
    });
  }

  /** Withdraws a wait whose step has ended (J14). */
  withdraw(key: string, answer: Answer): void {
    this.settling(() => void this.settle(key, answer, { expired: true }));
  }

  /** Settles the waits at their due time; returns true if the run may continue. */
  expireDue(): boolean {
    if (this.#reader.record().held !== undefined) return false;
    const now = this.#clock.now();
    for (const row of this.#store.journal.waits()) {
      if (row.wait?.dueAtMs === undefined || row.wait.dueAtMs > now) continue;
      // The next drive tries its step again.
      if (isRetryWait(row)) this.settling(() => this.goOn());
      else this.expire(row.key, expiredAnswer(row.key, row.wait));
    }
    return isDrivable(this.#reader.record());
  }

  /** Receiver of events from outside; undefined if the program has no event waits, or is gone. */
  get outsideEvents(): OutsideEvents | undefined {
    return (this.#outside ??= this.#reader.programNow()?.outsideEvents?.({
      store: this.#store,
      settling: (change) => this.settling(change),
      settle: (key, value: JsonValue) => {
        const settled = this.settle(key, { value });
        if (settled) this.goOn();
        return settled;
      },
      emit: (type, payload, nth) => void this.#writer.emit(type, payload, nth),
    }));
  }

  /** Ends waits with earlier stored events; returns true if a wait was ended. */
  offerKeptEvents(): boolean {
    return this.outsideEvents?.offerKept() === true;
  }

  /**
   * Like `offerKeptEvents`, as soon as the newly opened wait can be ended. Missed events are offered at the end of the
   * drive.
   */
  offerKeptEventsSoon(): void {
    this.#clock.after(0, () => {
      try {
        if (this.#options.journal() !== undefined) this.offerKeptEvents();
      } catch (error) {
        this.#options.journal()?.fail(error);
      }
    });
  }
}
