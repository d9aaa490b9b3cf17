import type { Clock } from "../../base/clock.ts";
import { isValidKey, KEY_RECHECK_MS, type KeyStore } from "../../parts/key-store.ts";

type Waiting = (isValid: boolean) => void;

/** Checks the keys of open sockets before data is sent. A hibernating object is not woken for a check. */
export class KeyChecks {
  readonly #keys: Pick<KeyStore, "find">;
  readonly #clock: Clock;
  readonly #validUntilMs = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(keys: Pick<KeyStore, "find">, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Calls back immediately or after checking the key, in the order of the calls. A socket without a key is valid. */
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
    // If the database does not answer, the stream continues and the key is checked again later.
    const isValid = await this.#keys.find(keyHash).then(
      (key) => isValidKey(key, this.#clock.now()),
      () => true,
    );
    if (isValid) this.#validUntilMs.set(keyHash, this.#clock.now() + KEY_RECHECK_MS);
    for (const then of this.#waiting.get(keyHash) ?? []) then(isValid);
    this.#waiting.delete(keyHash);
  }
}
