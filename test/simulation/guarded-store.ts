// A run's storage as one host sees it: every access is a boundary at which something may go wrong, and a host that is
// dead reaches nothing any more.
import type { EventStore } from "../../src/events/event-log.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { JournalStore, StepRecord, StepSummary } from "../../src/journal/journal-store.ts";
import type { Usage } from "../../src/base/usage.ts";
import type { RunRecord } from "../../src/runtime/run.ts";
import type { OutboxEntry, RunStore } from "../../src/runtime/run-store.ts";

/** Stands at each access: lets it through, fails it, or ends the host. */
export interface Guard {
  /** Throws when the access fails, or when the host is dead before or after it. */
  cross<T>(boundary: "read" | "write" | "commit", access: () => T): T;
  /** Told when a transaction has been undone. */
  undone(): void;
}

/** Told of each write before it is made. */
export interface StoreObserver {
  putting(row: StepRecord): void;
  saving(record: RunRecord): void;
  appending(event: RunEvent): void;
  setting(name: string): void;
}

export class GuardedStore implements RunStore {
  readonly journal: JournalStore;
  readonly events: EventStore;
  readonly #inner: RunStore;
  readonly #guard: Guard;
  readonly #observer: StoreObserver;

  constructor(inner: RunStore, guard: Guard, observer: StoreObserver) {
    this.#inner = inner;
    this.#guard = guard;
    this.#observer = observer;
    const read = <T>(access: () => T): T => guard.cross("read", access);
    const write = (access: () => void): void => guard.cross("write", access);
    this.journal = {
      get: (key): StepRecord | undefined => read(() => inner.journal.get(key)),
      put: (row) =>
        write(() => {
          observer.putting(row);
          inner.journal.put(row);
        }),
      commit: () => guard.cross("commit", () => inner.journal.commit()),
      list: (afterSeq, limit): readonly StepSummary[] =>
        read(() => inner.journal.list(afterSeq, limit)),
      waits: (): readonly StepSummary[] => read(() => inner.journal.waits()),
      count: (): number => read(() => inner.journal.count()),
      lastSeq: (): number => read(() => inner.journal.lastSeq()),
      usage: (): Usage => read(() => inner.journal.usage()),
      usageBy: () => read(() => inner.journal.usageBy()),
      page: (query) => read(() => inner.journal.page(query)),
      piece: (...piece) => read(() => inner.journal.piece(...piece)),
      children: () => read(() => inner.journal.children()),
    };
    this.events = {
      append: (event) =>
        write(() => {
          observer.appending(event);
          inner.events.append(event);
        }),
      ids: () => read(() => [...inner.events.ids()]),
      read: (...page) => read(() => inner.events.read(...page)),
      readBack: (...page) => read(() => inner.events.readBack(...page)),
      lastSeq: () => read(() => inner.events.lastSeq()),
    };
  }

  load(): RunRecord | undefined {
    return this.#guard.cross("read", () => this.#inner.load());
  }

  save(record: RunRecord): void {
    this.#guard.cross("write", () => {
      this.#observer.saving(record);
      this.#inner.save(record);
    });
  }

  value(name: string): string | undefined {
    return this.#guard.cross("read", () => this.#inner.value(name));
  }

  setValue(name: string, json: string): void {
    this.#guard.cross("write", () => {
      this.#observer.setting(name);
      this.#inner.setValue(name, json);
    });
  }

  outbox(): readonly OutboxEntry[] {
    return this.#guard.cross("read", () => this.#inner.outbox());
  }

  putOutbox(entry: OutboxEntry): void {
    this.#guard.cross("write", () => this.#inner.putOutbox(entry));
  }

  removeOutbox(entry: OutboxEntry, options?: { readonly lazily: boolean }): void {
    this.#guard.cross("write", () => this.#inner.removeOutbox(entry, options));
  }

  /** A host that dies inside leaves nothing behind, even when somebody swallows what its accesses throw. */
  transaction(change: () => void): void {
    this.#guard.cross("commit", () => {
      try {
        this.#inner.transaction(() => {
          change();
          this.#guard.cross("commit", () => undefined);
        });
      } catch (error) {
        this.#guard.undone();
        throw error;
      }
    });
  }

  commit(): void {
    this.#guard.cross("commit", () => this.#inner.commit());
  }

  clear(): void {
    this.#guard.cross("write", () => this.#inner.clear());
  }
}
