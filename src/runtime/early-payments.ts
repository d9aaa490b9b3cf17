import type { Clock } from "../base/clock.ts";
import type { RunLedger } from "./run-ledger.ts";

/** Pays what a run owes although no alarm asks for it, as while a drive goes on for long. */
export class EarlyPayments {
  readonly #ledger: RunLedger;
  readonly #clock: Clock;
  readonly #onPaid: () => unknown;
  #underWay: Promise<void> | undefined;
  #next: { readonly atMs: number; readonly cancel: () => void } | undefined;

  /** `onPaid` is called after payments that `payBy` set a time for: something may have been left for later. */
  constructor(ledger: RunLedger, clock: Clock, onPaid: () => unknown) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#onPaid = onPaid;
  }

  /** Pays in the next turn, with all that this one comes to owe. */
  payNext(): void {
    this.#clock.after(0, () => {
      this.#underWay = this.#ledger.flush().catch(() => undefined);
    });
  }

  /** What `payNext` began. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Has debts paid by then: those of one turn together. */
  payBy(atMs: number): void {
    if (this.#next !== undefined && this.#next.atMs <= atMs) return;
    this.#next?.cancel();
    const cancel = this.#clock.after(Math.max(0, atMs - this.#clock.now()), () => {
      this.#next = undefined;
      void this.#ledger
        .flush()
        .then(() => this.#onPaid())
        .catch(() => undefined);
    });
    this.#next = { atMs, cancel };
  }

  /** All has been paid that is due: there is no time set any more. */
  cancel(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }
}
