// How the waits of a run end, whether it is being driven or not: by an answer, a child's report, an event of the outside
// world, or because their time has come.
import type { Clock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { Journal } from "../journal/journal.ts";
import { isRetryWait } from "../journal/retry-waits.ts";
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
  /** That of the drive under way. */
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

  /** Settles waits, and whatever follows from it: all or nothing. */
  settling(change: () => void): void {
    try {
      this.#writer.transaction(change);
    } catch (error) {
      this.#options.children.forgetCount();
      this.#options.journal()?.fail(error); // it may have taken an answer that is not kept
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

  /** Puts a waiting run back to work. A held one keeps the answer until code comes that fits (CC2). */
  goOn(): void {
    const record = this.#reader.record();
    if (record.status !== "waiting" || record.paused) return;
    if (record.held !== undefined) return this.#writer.change(record);
    this.#writer.change({ ...record, status: "running" });
    this.#writer.emit("run_resumed", {}, record.version);
  }

  /** Settles a wait whose time has come; a child that it is for is of no use any more. */
  expire(key: string, answer: Answer): void {
    const { event, runId: child } = this.#store.journal.get(key)?.wait ?? {};
    // An event that is kept came before the time was over: a crash may have come before it was offered.
    if (event !== undefined) this.offerKeptEvents();
    this.settling(() => {
      if (!this.settle(key, answer, { expired: true })) return;
      if (child !== undefined) this.#options.deliveries.addChildren("cancel", [child]);
      this.goOn();
    });
  }

  /** Takes back a wait whose step has ended (J14). */
  withdraw(key: string, answer: Answer): void {
    this.settling(() => void this.settle(key, answer, { expired: true }));
  }

  /** Settles the waits whose time has come; true when there were any and the run may go on. */
  expireDue(): boolean {
    if (this.#reader.record().held !== undefined) return false;
    const now = this.#clock.now();
    for (const row of this.#store.journal.waits()) {
      if (row.wait?.dueAtMs === undefined || row.wait.dueAtMs > now) continue;
      // Its step is tried again by the drive that follows.
      if (isRetryWait(row)) this.settling(() => this.goOn());
      else this.expire(row.key, expiredAnswer(row.key, row.wait));
    }
    return isDrivable(this.#reader.record());
  }

  /** What takes events of the outside world; undefined where the program waits for none, or is gone. */
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

  /** Ends waits with events that came before them; true when it ended one. */
  offerKeptEvents(): boolean {
    return this.outsideEvents?.offerKept() === true;
  }

  /** As `offerKeptEvents`, as soon as the wait that has just opened can be ended. What this misses is done when the drive is concluded. */
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
