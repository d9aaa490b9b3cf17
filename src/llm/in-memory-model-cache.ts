import type { Clock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import { systemClock } from "../base/system.ts";
import type { ModelCache } from "./model-cache.ts";

type Options = {
  /** @default 1000; the least recently used one is dropped first */
  readonly maxEntries?: number;
  /** @default the system's */
  readonly clock?: Clock;
};

/** A cache of models' answers in this process. */
export class InMemoryModelCache implements ModelCache {
  /** As text, so stored answers cannot be changed. The least recently used one is first. */
  readonly #entries = new Map<string, { readonly text: string; readonly untilMs: number }>();
  readonly #maxEntries: number;
  readonly #clock: Clock;

  constructor({ maxEntries = 1000, clock = systemClock }: Options = {}) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  async get(key: string): Promise<JsonValue | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.untilMs <= this.#clock.now()) return undefined;
    this.#entries.set(key, entry);
    return JSON.parse(entry.text) as JsonValue;
  }

  async set(key: string, value: JsonValue, ttlSeconds: number): Promise<void> {
    const untilMs = this.#clock.now() + ttlSeconds * 1000;
    this.#entries.delete(key);
    this.#entries.set(key, { text: JSON.stringify(value), untilMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
  }
}
