// Subscriptions of a session's client, polled while the client listens.
//
//   MSB1. Polling stops without listeners or subscriptions, so the session's object can sleep.
import type { Clock } from "../../../base/clock.ts";

/** Polling interval. */
const LOOK_MS = 15_000;
const MAX_SUBSCRIPTIONS = 100;

type SubscriptionsOptions = {
  readonly clock: Clock;
  /** Changes with the content at an address. */
  readonly version: (uri: string) => Promise<string>;
  readonly notify: (uri: string) => Promise<void>;
};

/** The subscriptions of one session. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #versions = new Map<string, string>();
  #listeners = 0;
  #stop: (() => void) | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Adds a subscription. False if there are too many. */
  async add(uri: string): Promise<boolean> {
    if (!this.#versions.has(uri) && this.#versions.size >= MAX_SUBSCRIPTIONS) return false;
    this.#versions.set(uri, await this.#options.version(uri));
    this.#plan();
    return true;
  }

  remove(uri: string): void {
    this.#versions.delete(uri);
    this.#plan();
  }

  /** Polls for the listening client, until the returned function is called. */
  listen(): () => void {
    this.#listeners++;
    this.#plan();
    return () => {
      this.#listeners--;
      this.#plan();
    };
  }

  #plan(): void {
    const isNeeded = this.#listeners > 0 && this.#versions.size > 0;
    if (!isNeeded) {
      this.#stop?.();
      this.#stop = undefined;
      return;
    }
    this.#stop ??= this.#options.clock.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { version, notify } = this.#options;
    for (const [uri, before] of this.#versions) {
      const now = await version(uri).catch(() => before);
      if (now === before || !this.#versions.has(uri)) continue;
      this.#versions.set(uri, now);
      await notify(uri).catch(() => undefined);
    }
    this.#stop = undefined;
    this.#plan();
  }
}
