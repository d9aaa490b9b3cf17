import type { Clock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { ChildPointers, ChildReport, RunParent } from "./child-run.ts";
import type { RunIndexRow } from "./run.ts";
import type { OutboxEntry, RunStore } from "./run-store.ts";
import type { WebhookDelivery } from "./webhooks.ts";

/** Takes what a run owes to the outside. A rejection means: again later. Must be safe to repeat. */
export interface OutboxSink {
  index(row: RunIndexRow): Promise<void>;
  /** Sees to it that children are started. Absent where there are no children. */
  dispatch?(children: ChildPointers): Promise<Dispatched>;
  /** Tells a parent how its child ended. `not_found` when there is no parent any more. */
  report?(parent: RunParent & { readonly tenant: string }, report: ChildReport): Promise<void>;
  /** Cancels children; answers those that it could not find or reach. */
  cancel?(children: ChildPointers, reason: string): Promise<readonly string[]>;
  /** Delivers an event to an address outside. Absent where runs have no webhooks. */
  webhook?(delivery: WebhookDelivery): Promise<void>;
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
  /** Called with what is left when nobody tries again, and with what the last attempt failed for. */
  readonly giveUp?: (left: JsonValue, reason: unknown) => void;
  /** Nobody waits for such debts: they are paid beside everything else, those of one lane one after another. */
  readonly laneOf?: (id: string) => string;
  /** Whether a failure holds for all that stands in the lane: it counts as an attempt of each, and none is made. */
  readonly haltsLane?: (error: unknown) => boolean;
};

/** A debt's id is its kind, or `<kind>:<which>` where there may be several. */
export type DebtKind = "index" | "dispatch" | "report" | "cancel" | "webhook";

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10 * 60_000;
/** How far a debt is put off while it is being paid beside everything else: then it is due again, should the process be gone. */
const LEASE_MS = 60_000;

/** Delivers a run's debts, each until it has been taken: kinds side by side, those of one kind oldest first. */
export class Outbox {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #couriers: Readonly<Record<DebtKind, Courier>>;
  /** What each lane is busy with, and the debts in it. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #underWay = new Set<string>();
  /** Lanes that nothing gets through at the moment, and why. */
  readonly #halted = new Map<string, unknown>();

  /** Hears that a lane is through: what is due next may have changed. */
  onLaneDone: () => void = () => undefined;

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

  /** Tries every debt that is due once. Does not wait for those that are paid in lanes. */
  async flush(): Promise<void> {
    const now = this.#clock.now();
    const kinds = Map.groupBy(
      this.#store.outbox().filter((entry) => entry.dueAtMs <= now),
      ({ id }) => id.split(":", 1)[0] as DebtKind,
    );
    await Promise.all(
      Array.from(kinds, async ([kind, entries]) => {
        const courier = this.#couriers[kind];
        const { laneOf } = courier;
        for (const entry of entries)
          if (laneOf === undefined) await this.#pay(courier, entry);
          else this.#payBeside(laneOf(entry.id), courier, entry);
      }),
    );
  }

  #payBeside(lane: string, courier: Courier, entry: OutboxEntry): void {
    this.#store.putOutbox({ ...entry, dueAtMs: this.#clock.now() + LEASE_MS });
    if (this.#underWay.has(entry.id)) return;
    this.#underWay.add(entry.id);
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const paid = before
      .then(() => this.#pay(courier, entry, lane))
      .catch(() => undefined) // the storage gave way: the debt is due again when its lease is over
      .finally(() => {
        this.#underWay.delete(entry.id);
        if (this.#lanes.get(lane) !== paid) return;
        this.#lanes.delete(lane);
        this.#halted.delete(lane);
        this.onLaneDone();
      });
    this.#lanes.set(lane, paid);
  }

  async #pay(courier: Courier, entry: OutboxEntry, lane = ""): Promise<void> {
    let unpaid: Unpaid | undefined | void;
    let reason: unknown;
    try {
      if (this.#halted.has(lane)) throw this.#halted.get(lane);
      unpaid = await courier.deliver(JSON.parse(entry.payload) as JsonValue);
    } catch (error) {
      reason = error;
      if (courier.haltsLane?.(error)) this.#halted.set(lane, error);
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
      return courier.giveUp?.(left, reason);
    }
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** entry.attempts);
    const payload = JSON.stringify(left);
    this.#store.putOutbox({ ...entry, payload, attempts, dueAtMs: now + delayMs });
  }
}
