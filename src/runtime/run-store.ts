import type { EventStore } from "../events/event-log.ts";
import type { JournalStore } from "../journal/journal-store.ts";
import type { RunRecord } from "./run.ts";

/** A delivery to the outside, stored until the other side has taken it. */
export type OutboxEntry = {
  /** A later entry of the same id replaces the earlier one. */
  readonly id: string;
  readonly payload: string;
  readonly attempts: number;
  readonly dueAtMs: number;
};

/**
 * Storage of one run. Synchronous; an exception from a method means a storage failure. Reading a run never started
 * writes no data.
 */
export interface RunStore {
  readonly journal: JournalStore;
  readonly events: EventStore;
  load(): RunRecord | undefined;
  save(record: RunRecord): void;
  /** JSON texts of any size by name: the values of a start, `output`, `child:<run id>`, and small notes of the host. */
  value(name: string): string | undefined;
  setValue(name: string, json: string): void;
  outbox(): readonly OutboxEntry[];
  putOutbox(entry: OutboxEntry): void;
  /** Removes the entry unless a later one has replaced it. `lazily`: the removal may be stored with any later write. */
  removeOutbox(entry: OutboxEntry, options?: { readonly lazily: boolean }): void;
  /** Runs a change completely or not at all; it is stored on return. */
  transaction(change: () => void): void;
  /**
   * Stores the writes of this turn, before a consequence of them leaves the object. Without it they are stored by the
   * end of the turn; a failed commit keeps them for the next.
   */
  commit(): void;
  /** Deletes everything: afterwards the run does not exist, as if it never had. */
  clear(): void;
}
