// What a run keeps of itself: its record, the events of its life, and what it owes to the index.
import type { Clock } from "../base/clock.ts";
import { EventLog } from "../events/event-log.ts";
import type { EventPayloads, EventType } from "../events/run-event.ts";
import { Outbox, type OutboxSink } from "./outbox.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { isTerminal, type RunIndexRow, type RunRecord } from "./run.ts";

const LEASE_MS = { queued: 60_000, running: 5 * 60_000, waiting: 60_000 };

export class RunLedger {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #read: RunReader;
  readonly #outbox: Outbox;
  readonly #onChange = new Set<() => void>();
  #events: EventLog | undefined;

  constructor(store: RunStore, read: RunReader, ports: { clock: Clock; outbox: OutboxSink }) {
    this.#store = store;
    this.#read = read;
    this.#clock = ports.clock;
    this.#outbox = new Outbox(store, ports.clock, ports.outbox);
  }

  /** Tries once to deliver what is owed and due. */
  flush(): Promise<void> {
    return this.#outbox.flush();
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

  /** All or nothing, the events told of it included. */
  transaction(change: () => void): void {
    this.events.within(() => this.#store.transaction(change));
  }

  /** Saves a change that others can see, and owes the index word of it. */
  change(record: RunRecord): void {
    const changed = { ...record, version: record.version + 1 };
    this.#store.save(changed);
    this.owe(changed);
    for (const notify of this.#onChange) notify();
  }

  /** Owes the index word of the run as it is. */
  owe(record: RunRecord): void {
    this.#outbox.owe("index", indexRow(record, this.#leaseUntilMs(record), this.#clock.now()));
  }

  #leaseUntilMs(record: RunRecord): number | null {
    if (isTerminal(record.status)) return null;
    if (record.status !== "waiting") return this.#clock.now() + LEASE_MS[record.status];
    const due = this.#read.waitsDueMs();
    return due.length === 0 ? null : Math.min(...due) + LEASE_MS.waiting;
  }

  /** Throws `not_found` for a run that was never started. */
  get events(): EventLog {
    this.#events ??= new EventLog({
      runId: this.#read.record().id,
      store: this.#store.events,
      clock: this.#clock,
    });
    return this.#events;
  }

  /** The run's record is gone: what was read of it is of no use any more. */
  forget(): void {
    this.#events = undefined;
  }

  /** Tells of something in the life of the run as a whole. `nth` tells apart several of one type. */
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type], nth?: number): string {
    return this.events.emit(type, nth === undefined ? { path: "" } : { path: "", nth }, payload);
  }
}

function indexRow(record: RunRecord, leaseUntilMs: number | null, nowMs: number): RunIndexRow {
  const { id, tenant, kind, name, status, createdAtMs, version } = record;
  return { id, tenant, kind, name, status, createdAtMs, updatedAtMs: nowMs, version, leaseUntilMs };
}
