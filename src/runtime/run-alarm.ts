import { noted } from "../base/log.ts";
import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { isDrivable, type RunRecord } from "./run.ts";

/** A due alarm waits for the end of the running drive, so a short delay costs nothing. */
const WATCHDOG_MS = 1_000;
const RETRY_AFTER_FAULT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 5 * 60_000;
/** Delay before an alarm returns to unfinished handlers. */
const HANDLERS_AGAIN_MS = 2_000;
/** Longest wait of a handler for a drive; the platform ends a handler after 15 minutes, together with its drive. */
const LONGEST_HANDLER_MS = 5 * 60_000;
/** Distance between an alarm and the next due time above which the alarm counts as lost. */
const SLACK_MS = 60_000;

/** The one wake-up call of a run. */
export interface AlarmSlot {
  get(): Promise<number | null>;
  set(atMs: number): Promise<void>;
  delete(): Promise<void>;
}

export type RunAlarmOptions = {
  readonly slot: AlarmSlot;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly isDriven: () => boolean;
  /** True while handlers of events run. */
  readonly isHandling: () => boolean;
  /** True if a held run can be tried with other code than before. */
  readonly isWorthATry: (record: RunRecord) => boolean;
  /** Receives faults of the storage or the platform; the work is tried again. */
  readonly report?: ((error: EngineError) => void) | undefined;
};

/** Sets the wake-up times of a run, and serves its alarms one at a time. */
export class RunAlarm {
  readonly #options: RunAlarmOptions;
  readonly #slot: AlarmSlot;
  readonly #clock: Clock;
  #serving: Promise<void> | undefined;
  #faults = 0;
  /** True while the watchdog of the next drive is already set. */
  #isWatched = false;

  constructor(options: RunAlarmOptions) {
    this.#options = options;
    this.#slot = options.slot;
    this.#clock = options.clock;
  }

  get isServing(): boolean {
    return this.#serving !== undefined;
  }

  /** Number of faults of the storage or the platform in a row for this host. */
  get faults(): number {
    return this.#faults;
  }

  /** Resets the number of faults once the storage works again. */
  clearFaults(): void {
    this.#faults = 0;
  }

  /**
   * Does the work of a fired alarm. If work started without the alarm is running, the handler waits for its end,
   * because the platform keeps an object alive during a handler: for a drive the alarm is set again (RD2), and work due
   * in the meantime is done afterwards.
   */
  async rings(work: () => Promise<void>): Promise<void> {
    this.#isWatched = false;
    const underWay = this.#serving;
    if (underWay === undefined) return void (await this.#waitsFor(this.serve(work)));
    if (this.#options.isDriven()) await this.setWatchdog();
    if (!(await this.#waitsFor(underWay))) return;
    await this.serve(async () => {
      if (this.#isDue()) await work();
    });
  }

  /**
   * Waits for work, but for a drive only up to the limit of a handler: the drive continues, and the alarm set for it
   * starts the next handler, which waits again. Resolves to true once the work is done.
   */
  async #waitsFor(work: Promise<void>): Promise<boolean> {
    let cancel: (() => void) | undefined;
    const longest = new Promise<boolean>((resolve) => {
      cancel = this.#clock.after(LONGEST_HANDLER_MS, () => resolve(false));
    });
    try {
      const isDone = await Promise.race([work.then(() => true), longest]);
      if (isDone || this.#options.isDriven()) return isDone;
      await work;
      return true;
    } finally {
      cancel?.();
    }
  }

  /** Does work; a second call during it returns the same promise. Failed work is repeated later (H4). */
  serve(work: () => Promise<void>): Promise<void> {
    this.#serving ??= this.#serve(work);
    return this.#serving;
  }

  async #serve(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      const delayMs = Math.min(MAX_RETRY_DELAY_MS, RETRY_AFTER_FAULT_MS * 2 ** this.#faults++);
      this.#report(cause, delayMs);
      await this.#slot.set(this.#clock.now() + delayMs);
    } finally {
      this.#serving = undefined;
    }
  }

  #report(cause: unknown, delayMs: number): void {
    const message = `the alarm of a run failed (fault ${this.#faults} in a row) and rings again in ${delayMs / 1000} s: ${errorMessage(cause)}`;
    const fault = new EngineError("unavailable", message, { cause, retryable: true });
    const fields = { ...this.#run(), attempt: this.#faults, ms: delayMs };
    this.#options.report?.(noted(fault, "alarm_failed", fields));
  }

  /** Returns the ids of the run, unless the storage itself has failed. */
  #run(): { readonly run?: string; readonly tenant?: string } {
    try {
      const { id, tenant } = this.#options.store.load() ?? {};
      return { ...(id && { run: id }), ...(tenant && { tenant }) };
    } catch {
      return {};
    }
  }

  /** Sets the alarm for repeating an interrupted drive (RD2). */
  async setWatchdog(): Promise<void> {
    const isSet = this.#isWatched;
    this.#isWatched = false;
    if (!isSet) await this.#slot.set(this.#clock.now() + WATCHDOG_MS);
  }

  /**
   * Makes a change with work to follow. The alarm is set first, in the same turn: a crash in between costs a needless
   * wake-up instead of the run.
   */
  wakeFor(change: () => void): Promise<void> {
    return this.#armedFor(change, 0);
  }

  /** Like `wakeFor`, for a change whose work the caller starts immediately: the alarm is its watchdog. */
  async watchFor(change: () => void): Promise<void> {
    await this.#armedFor(change, WATCHDOG_MS);
    this.#isWatched = true;
  }

  async #armedFor(change: () => void, delayMs: number): Promise<void> {
    const armed = this.#slot.set(this.#clock.now() + delayMs);
    try {
      change();
      this.#options.store.commit();
    } finally {
      await armed;
    }
  }

  /**
   * Restores the lost alarm of a run. A time in the past counts as lost, because a fired and lost alarm leaves it
   * behind; so does a time long after the due time, because the clock was set back then.
   */
  async ensure(record: RunRecord): Promise<void> {
    if (this.#options.isDriven()) return;
    const due = this.#nextDueMs(record);
    if (due === undefined) return;
    const alarm = await this.#slot.get();
    const isSound =
      alarm !== null && alarm >= this.#clock.now() - SLACK_MS && alarm <= due + SLACK_MS;
    if (!isSound) await this.#slot.set(due);
  }

  async scheduleNext(): Promise<void> {
    this.#options.store.commit();
    const due = this.#nextDueMs(this.#options.reader.record());
    if (due === undefined) await this.#slot.delete();
    else await this.#slot.set(due);
  }

  async clear(): Promise<void> {
    await this.#slot.delete();
  }

  /** True if work is due now without an alarm for it. */
  #isDue(): boolean {
    const record = this.#options.store.load();
    const due = record === undefined ? undefined : this.#nextDueMs(record);
    return due !== undefined && due <= this.#clock.now();
  }

  /** Returns the next due time of the run; undefined if only an outside answer can resume it (H5). */
  #nextDueMs(record: RunRecord): number | undefined {
    const { store, reader, isHandling } = this.#options;
    const times = store.outbox().map((entry) => entry.dueAtMs);
    if (isDrivable(record)) times.push(Math.max(this.#clock.now(), record.restsUntilMs ?? 0));
    const isHeld = record.held !== undefined;
    if (isHeld && this.#options.isWorthATry(record)) times.push(this.#clock.now());
    const waits = record.status === "waiting" && !isHeld;
    const waitDueMs = waits ? reader.nextWaitDueMs() : undefined;
    if (waitDueMs !== undefined) times.push(waitDueMs);
    if (isHandling()) times.push(this.#clock.now() + HANDLERS_AGAIN_MS);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
