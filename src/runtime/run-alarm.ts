import { noted } from "../base/log.ts";
import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { isDrivable, type RunRecord } from "./run.ts";

/** A due alarm waits for the end of the drive that is under way, so a short one costs nothing. */
const WATCHDOG_MS = 1_000;
const RETRY_AFTER_FAULT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 5 * 60_000;
/** When an alarm comes back to handlers that have not finished. */
const HANDLERS_AGAIN_MS = 2_000;
/** How long a handler waits for a drive; the platform ends one after 15 minutes, and what it waits for with it. */
const LONGEST_HANDLER_MS = 5 * 60_000;
/** How far an alarm may be from what is due before it counts as lost. */
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
  /** Whether a held run can be tried with other code than before. */
  readonly isWorthATry: (record: RunRecord) => boolean;
  /** Receives what the storage or the platform threw, and is tried again. */
  readonly report?: ((error: EngineError) => void) | undefined;
};

/** When a run is woken, and that it is served one alarm at a time. */
export class RunAlarm {
  readonly #options: RunAlarmOptions;
  readonly #slot: AlarmSlot;
  readonly #clock: Clock;
  #serving: Promise<void> | undefined;
  #faults = 0;
  /** The watchdog of the drive that comes next is set already. */
  #isWatched = false;

  constructor(options: RunAlarmOptions) {
    this.#options = options;
    this.#slot = options.slot;
    this.#clock = options.clock;
  }

  get isServing(): boolean {
    return this.#serving !== undefined;
  }

  /** Times in a row that the storage or the platform gave way to this host. */
  get faults(): number {
    return this.#faults;
  }

  /** The storage holds again. */
  clearFaults(): void {
    this.#faults = 0;
  }

  /**
   * Does the work that the alarm rang for. Where work is under way that began without the alarm, its handler waits for the end, as the
   * platform keeps an object alive for that: for a drive the alarm is set again (RD2), and what came too late for that work is done after it.
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
   * Waits for work, for a drive not longer than a handler may: it goes on, and the alarm that is set for a drive has the next handler
   * wait for it. True when the work is done.
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

  /** Does work, once where it is asked for twice. Work that fails is repeated later (H4). */
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

  /** Which run it is, unless the storage is what has failed. */
  #run(): { readonly run?: string; readonly tenant?: string } {
    try {
      const { id, tenant } = this.#options.store.load() ?? {};
      return { ...(id && { run: id }), ...(tenant && { tenant }) };
    } catch {
      return {};
    }
  }

  /** Sets the alarm that repeats a drive which is cut off (RD2). */
  async setWatchdog(): Promise<void> {
    const isSet = this.#isWatched;
    this.#isWatched = false;
    if (!isSet) await this.#slot.set(this.#clock.now() + WATCHDOG_MS);
  }

  /**
   * Makes a change that leaves something to do. The alarm is set first, in the same turn: a crash in between costs a
   * needless wake-up instead of the run.
   */
  wakeFor(change: () => void): Promise<void> {
    return this.#armedFor(change, 0);
  }

  /** As `wakeFor`, for a change that the caller goes on from at once: the alarm is the watchdog of that. */
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
   * Sets the alarm of a run that should have one and lost it. A time in the past counts as lost, as an alarm that fired and
   * was lost leaves it behind; so does a time long after what is due, as the clock was then set back.
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

  /** Whether something is to be done now that no alarm is set for. */
  #isDue(): boolean {
    const record = this.#options.store.load();
    const due = record === undefined ? undefined : this.#nextDueMs(record);
    return due !== undefined && due <= this.#clock.now();
  }

  /** When the run next has something to do; undefined when only an answer from outside can move it (H5). */
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
