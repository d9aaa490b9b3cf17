import type { Clock } from "../base/clock.ts";
import type { RunIndexRow } from "./run.ts";
import type { RunStore } from "./run-store.ts";

/** Takes what a run owes to the outside. A rejection means: again later. Must be safe to repeat. */
export interface OutboxSink {
  index(row: RunIndexRow): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10 * 60_000;

/** Delivers a run's debts, oldest first, each until it has been taken. */
export class Outbox {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #sink: OutboxSink;

  constructor(store: RunStore, clock: Clock, sink: OutboxSink) {
    this.#store = store;
    this.#clock = clock;
    this.#sink = sink;
  }

  owe(id: "index", row: RunIndexRow): void {
    this.#store.putOutbox({
      id,
      payload: JSON.stringify(row),
      attempts: 0,
      dueAtMs: this.#clock.now(),
    });
  }

  /** Tries every debt that is due once. */
  async flush(): Promise<void> {
    for (const entry of this.#store.outbox()) {
      if (entry.dueAtMs > this.#clock.now()) continue;
      try {
        await this.#sink.index(JSON.parse(entry.payload) as RunIndexRow);
        this.#store.removeOutbox(entry);
      } catch {
        const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** entry.attempts);
        const current = this.#store.outbox().find(({ id }) => id === entry.id);
        if (current?.payload !== entry.payload) continue;
        this.#store.putOutbox({
          ...entry,
          attempts: entry.attempts + 1,
          dueAtMs: this.#clock.now() + delayMs,
        });
      }
    }
  }
}
