// All writes of a run about itself: its record, its lifecycle events, and the resulting deliveries.
import { log, type LogFields } from "../base/log.ts";
import type { Clock } from "../base/clock.ts";
import { EventLog } from "../events/event-log.ts";
import type { EventPayloads, EventType } from "../events/run-event.ts";
import { childBatches, openChildren } from "./children/child-runs.ts";
import type { CleanUps } from "./deliveries/clean-ups.ts";
import type { RunDeliveries } from "./deliveries/run-deliveries.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import type { RunRecord } from "./run.ts";

export type RunWriterOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly deliveries: RunDeliveries;
  readonly cleanUps: CleanUps;
};

export class RunWriter {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #reader: RunReader;
  readonly #deliveries: RunDeliveries;
  readonly #cleanUps: CleanUps;
  readonly #onChange = new Set<() => void>();
  #events: EventLog | undefined;
  /** Called in the transaction of the end, before its event. */
  beforeEnd: () => void = () => undefined;

  constructor({ store, clock, reader, deliveries, cleanUps }: RunWriterOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#reader = reader;
    this.#deliveries = deliveries;
    this.#cleanUps = cleanUps;
  }

  /** Throws `not_found` for a run never started. */
  get events(): EventLog {
    if (this.#events === undefined) {
      this.#events = new EventLog({
        runId: this.#reader.record().id,
        store: this.#store.events,
        clock: this.#clock,
      });
      if (this.#deliveries.hasWebhooks)
        this.#events.subscribe((event) => {
          if (this.#deliveries.isWanted(event)) this.#deliveries.timer.flushBy(this.#clock.now());
        });
    }
    return this.#events;
  }

  /** Writes an event in the life of the run as a whole. `nth` distinguishes several of one type. */
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type], nth?: number): string {
    return this.events.emit(type, nth === undefined ? { path: "" } : { path: "", nth }, payload);
  }

  /** Runs a change completely or not at all, including its events. */
  transaction(change: () => void): void {
    this.events.within(() => this.#store.transaction(change));
  }

  /** Saves an externally visible change, and adds its delivery to the index. */
  change(record: RunRecord): void {
    const changed = { ...record, version: record.version + 1 };
    this.#store.save(changed);
    this.#deliveries.addIndexRow(changed);
    for (const notify of this.#onChange) notify();
  }

  /**
   * Writes the end of the run: its status, its last event (`alongside`), the notifications of its parent and children,
   * and its clean-ups (H6).
   */
  end(end: Pick<RunRecord, "status" | "error">, alongside: () => void): void {
    let ended: LogFields | undefined; // read before the end: no fallible code may follow it
    this.transaction(() => {
      this.beforeEnd();
      alongside();
      const { held: _, restsUntilMs: __, ...record } = this.#reader.record();
      if (record.parent !== undefined) this.#deliveries.addReport();
      if (record.hasChildren === true)
        for (const batch of childBatches(openChildren(this.#store.journal.waits())))
          this.#deliveries.addChildren("cancel", batch);
      this.#cleanUps.releaseAll();
      const finishedAtMs = this.#clock.now();
      this.change({ ...record, ...end, paused: false, driving: false, finishedAtMs });
      const { id: run, tenant, kind, createdAtMs } = record;
      const ms = finishedAtMs - createdAtMs;
      ended = { run, tenant, kind, status: end.status, ms, reason: end.error?.code };
    });
    if (ended !== undefined) log("run_ended", ended);
  }

  /** Resolves at the next change of status or wait, or after `timeoutMs`. */
  changed(timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel?.();
        this.#onChange.delete(end);
        resolve();
      };
      const cancel = timeoutMs === undefined ? undefined : this.#clock.after(timeoutMs, end);
      this.#onChange.add(end);
    });
  }

  /** Drops the cached state of a deleted run. */
  forget(): void {
    this.#events = undefined;
    this.#deliveries.forget();
  }
}
