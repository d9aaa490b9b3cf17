import type { EventStore } from "../events/event-log.ts";
import type { JournalStore } from "../journal/journal-store.ts";
import type { RunRecord } from "./run.ts";

/** A delivery to the outside: kept until the other side has taken it. */
export type OutboxEntry = {
  /** A later entry of the same id replaces the earlier one. */
  readonly id: string;
  readonly payload: string;
  readonly attempts: number;
  readonly dueAtMs: number;
};

/**
 * Everything one run keeps. Synchronous; a method that throws means that the storage gave way. Reading a run that was
 * never started writes nothing.
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
  /** Removes the entry unless a later one has replaced it. `lazily`: that may be stored with what is stored next, whenever that is. */
  removeOutbox(entry: OutboxEntry, options?: { readonly lazily: boolean }): void;
  /** All or nothing; stored when it returns. */
  transaction(change: () => void): void;
  /**
   * Stores what this turn has written, before something that follows from it leaves. Without it that is stored by the end of the
   * turn; a commit that fails keeps it for the next.
   */
  commit(): void;
  /** Forgets everything: afterwards there is no run, and never was one. */
  clear(): void;
}
