import type { Clock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { ChildPointers, ChildReport, RunParent } from "./child-run.ts";
import type { RunIndexRow } from "./run.ts";
import type { RunStore } from "./run-store.ts";

/** Takes what a run owes to the outside. A rejection means: again later. Must be safe to repeat. */
export interface OutboxSink {
  index(row: RunIndexRow): Promise<void>;
  /** Sees to it that children are started. Absent where there are no children. */
  dispatch?(children: ChildPointers): Promise<Dispatched>;
  /** Tells a parent how its child ended. `not_found` when there is no parent any more. */
  report?(parent: RunParent & { readonly tenant: string }, report: ChildReport): Promise<void>;
  /** Cancels children; answers those that it could not find or reach. */
  cancel?(children: ChildPointers, reason: string): Promise<readonly string[]>;
}

/** What has become of a dispatch. */
export type Dispatched = {
  /** Children that are not known to be started. */
  readonly left: readonly string[];
  /** They are on their way, and somebody will say when they have begun. */
  readonly onTheWay?: boolean;
};

/** What of a debt is not paid yet. */
export type Unpaid = {
  readonly left: JsonValue;
  /** When to come back to a debt that is as good as paid, in milliseconds; it counts as no failed attempt. */
  readonly againInMs?: number;
};

/** How debts of one kind are paid. */
export type Courier = {
  /** Answers what is left to be paid; undefined when nothing is. A rejection leaves all of it. */
  readonly deliver: (payload: JsonValue) => Promise<Unpaid | undefined | void>;
  /** After this many attempts nobody tries again. @default no end */
  readonly maxAttempts?: number;
  /** Called with what is left when nobody tries again. */
  readonly giveUp?: (left: JsonValue) => void;
};

/** A debt's id is its kind, or `<kind>:<which>` where there may be several. */
export type DebtKind = "index" | "dispatch" | "report" | "cancel";

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10 * 60_000;

/** Delivers a run's debts, each until it has been taken: kinds side by side, those of one kind oldest first. */
export class Outbox {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #couriers: Readonly<Record<DebtKind, Courier>>;

  constructor(store: RunStore, clock: Clock, couriers: Readonly<Record<DebtKind, Courier>>) {
    this.#store = store;
    this.#clock = clock;
    this.#couriers = couriers;
  }

  owe(id: DebtKind | `${DebtKind}:${string}`, payload: unknown): void {
    this.#store.putOutbox({
      id,
      payload: JSON.stringify(payload),
      attempts: 0,
      dueAtMs: this.#clock.now(),
    });
  }

  /** Tries every debt that is due once. */
  async flush(): Promise<void> {
    const now = this.#clock.now();
    const kinds = Map.groupBy(
      this.#store.outbox().filter((entry) => entry.dueAtMs <= now),
      ({ id }) => id.split(":", 1)[0] as DebtKind,
    );
    await Promise.all(
      Array.from(kinds, async ([kind, entries]) => {
        for (const entry of entries) await this.#pay(this.#couriers[kind], entry);
      }),
    );
  }

  async #pay(courier: Courier, entry: ReturnType<RunStore["outbox"]>[number]): Promise<void> {
    let unpaid: Unpaid | undefined | void;
    try {
      unpaid = await courier.deliver(JSON.parse(entry.payload) as JsonValue);
    } catch {
      unpaid = { left: JSON.parse(entry.payload) as JsonValue };
    }
    if (unpaid === undefined) return this.#store.removeOutbox(entry);
    const { left, againInMs } = unpaid;
    const current = this.#store.outbox().find(({ id }) => id === entry.id);
    if (current?.payload !== entry.payload) return;
    const now = this.#clock.now();
    if (againInMs !== undefined) {
      const payload = JSON.stringify(left);
      return this.#store.putOutbox({ ...entry, payload, attempts: 0, dueAtMs: now + againInMs });
    }
    const attempts = entry.attempts + 1;
    if (courier.maxAttempts !== undefined && attempts >= courier.maxAttempts) {
      this.#store.removeOutbox(entry);
      return courier.giveUp?.(left);
    }
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** entry.attempts);
    const payload = JSON.stringify(left);
    this.#store.putOutbox({ ...entry, payload, attempts, dueAtMs: now + delayMs });
  }
}
