import type { Clock } from "../../base/clock.ts";
import { isValidKey, KEY_RECHECK_MS, type KeyStore } from "../../parts/key-store.ts";

type Waiting = (isValid: boolean) => void;

/** Checks the keys that sockets were opened with, when there is something to send: an object that hibernates is not woken for it. */
export class KeyChecks {
  readonly #keys: Pick<KeyStore, "find">;
  readonly #clock: Clock;
  readonly #validUntilMs = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(keys: Pick<KeyStore, "find">, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Calls back at once, or when the key was checked: in the order of the calls. Without a key it is valid. */
  pass(keyHash: string | undefined, then: Waiting): void {
    if (keyHash === undefined) return then(true);
    const waiting = this.#waiting.get(keyHash);
    if (waiting !== undefined) {
      waiting.push(then);
      return;
    }
    if ((this.#validUntilMs.get(keyHash) ?? 0) > this.#clock.now()) return then(true);
    this.#waiting.set(keyHash, [then]);
    void this.#check(keyHash);
  }

  async #check(keyHash: string): Promise<void> {
    // Where the database does not answer, a stream goes on: it is asked again.
    const isValid = await this.#keys.find(keyHash).then(
      (key) => isValidKey(key, this.#clock.now()),
      () => true,
    );
    if (isValid) this.#validUntilMs.set(keyHash, this.#clock.now() + KEY_RECHECK_MS);
    for (const then of this.#waiting.get(keyHash) ?? []) then(isValid);
    this.#waiting.delete(keyHash);
  }
}
