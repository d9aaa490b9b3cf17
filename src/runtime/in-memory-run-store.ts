import { InMemoryEventStore } from "../events/event-log.ts";
import { InMemoryJournalStore } from "../journal/in-memory-journal-store.ts";
import type { RunRecord } from "./run.ts";
import type { OutboxEntry, RunStore } from "./run-store.ts";

/** A run in memory: library mode. */
export class InMemoryRunStore implements RunStore {
  journal = new InMemoryJournalStore();
  events = new InMemoryEventStore();
  readonly #values = new Map<string, string>();
  readonly #outbox = new Map<string, OutboxEntry>();
  #record: RunRecord | undefined;

  load(): RunRecord | undefined {
    return this.#record;
  }

  save(record: RunRecord): void {
    this.#record = record;
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  setValue(name: string, json: string): void {
    this.#values.set(name, json);
  }

  outbox(): readonly OutboxEntry[] {
    return [...this.#outbox.values()].toSorted(
      (a, b) => a.dueAtMs - b.dueAtMs || (a.id < b.id ? -1 : 1),
    );
  }

  putOutbox(entry: OutboxEntry): void {
    this.#outbox.set(entry.id, entry);
  }

  removeOutbox(entry: OutboxEntry): void {
    if (this.#outbox.get(entry.id)?.payload === entry.payload) this.#outbox.delete(entry.id);
  }

  transaction(change: () => void): void {
    change();
  }

  commit(): void {
    // Values in memory need no commit.
  }

  clear(): void {
    this.journal = new InMemoryJournalStore();
    this.events = new InMemoryEventStore();
    this.#values.clear();
    this.#outbox.clear();
    this.#record = undefined;
  }
}
