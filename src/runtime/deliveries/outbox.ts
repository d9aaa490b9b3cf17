// Outbox: pending deliveries of a run to the outside, each stored until it has been taken.
import type { Clock } from "../../base/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import { PlatformFault } from "../../base/platform-fault.ts";
import type { ChildPointers, ChildReport, RunParent } from "../children/child-run.ts";
import type { RunIndexRow } from "../run.ts";
import type { OutboxEntry, RunStore } from "../run-store.ts";
import type { WebhookDelivery } from "./webhooks.ts";

/** Receives the deliveries of a run. A rejected delivery is tried again later; each must be safe to repeat. */
export interface OutboxSink {
  /** Absent without an index. */
  index?(row: RunIndexRow): Promise<void>;
  /** Dispatches children. Absent without child runs. */
  dispatch?(children: ChildPointers): Promise<Dispatched>;
  /** Reports to a parent how its child ended. Rejects with `not_found` when the parent no longer exists. */
  report?(parent: RunParent & { readonly tenant: string }, report: ChildReport): Promise<void>;
  /** Cancels children; resolves to those not found or not reached. */
  cancel?(children: ChildPointers, reason: string): Promise<readonly string[]>;
  /** Delivers an event to an outside address. Absent if runs have no webhooks. */
  webhook?(delivery: WebhookDelivery): Promise<void>;
}

/** Result of a dispatch. */
export type Dispatched = {
  /** Children not known to be started. */
  readonly left: readonly string[];
  /** True if they are in a queue; the parent is notified when they have begun. */
  readonly onTheWay?: boolean;
};

/** Undelivered rest of an entry. */
export type Undelivered = {
  readonly left: JsonValue;
  /** Delay before checking a queued entry, in milliseconds; it does not count as a failed attempt. */
  readonly againInMs?: number;
};

/** Delivery rules for entries of one kind. */
export type Delivery = {
  /** Resolves to the undelivered rest; undefined if everything was delivered. A rejection leaves all of it. */
  readonly deliver: (payload: JsonValue) => Promise<Undelivered | undefined | void>;
  /** Number of attempts after which the entry is given up. @default unlimited */
  readonly maxAttempts?: number;
  /** True if another attempt can only fail in the same way: the entry is given up. @default never */
  readonly isPermanent?: (error: unknown) => boolean;
  /** Returns the payload for the next attempt, with notes about the failure. @default no notes */
  readonly noted?: (left: JsonValue, reason: unknown) => JsonValue;
  /**
   * Called with the rest of an abandoned entry, the reason for its last failure, and the number of attempts. The entry
   * stays until the consequences are on record: a failure here causes another attempt, so this must be safe to repeat.
   */
  readonly giveUp?: (left: JsonValue, reason: unknown, attempts: number) => void | Promise<void>;
  /** True if a repeated delivery has no effect: its completion need not be stored immediately. @default false */
  readonly isRepeatable?: boolean;
  /**
   * Returns the lane of an entry. `flush` does not wait for lanes: they run side by side, the entries of one lane in
   * turn.
   */
  readonly laneOf?: (id: string) => string;
  /** True if a failure applies to the rest of its lane: each entry there counts as attempted, without an attempt. */
  readonly haltsLane?: (error: unknown) => boolean;
};

/** Kind of an entry. An entry's id is its kind, or `<kind>:<which>` for kinds with several entries. */
export type DeliveryKind = "index" | "dispatch" | "report" | "cancel" | "clean-up" | "webhook";

export type OutboxId = DeliveryKind | `${DeliveryKind}:${string}`;

export type OutboxOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly deliveries: Readonly<Record<DeliveryKind, Delivery>>;
  /** Called when a lane is empty: the time of the next delivery may have changed. @default ignored */
  readonly onLaneDone?: () => void;
};

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10 * 60_000;
/** Postponement of an entry during its delivery in a lane: it is due again if the process dies. */
const LEASE_MS = 60_000;

/** Makes a run's deliveries: kinds side by side, entries of one kind oldest first. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #store: RunStore;
  readonly #clock: Clock;
  /** The end of the work of each lane, and the entries in it. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #underWay = new Set<string>();
  /** Lanes blocked at the moment, with the error. */
  readonly #halted = new Map<string, unknown>();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
  }

  add(id: OutboxId, payload: unknown): void {
    this.#store.putOutbox({
      id,
      payload: JSON.stringify(payload),
      attempts: 0,
      dueAtMs: this.#clock.now(),
    });
  }

  /** Tries every due entry once. Does not wait for lanes. */
  async flush(): Promise<void> {
    this.#store.commit();
    const now = this.#clock.now();
    const due = this.#store.outbox().filter((entry) => entry.dueAtMs <= now);
    if (due.length === 0) return;
    const kinds = Map.groupBy(due, ({ id }) => id.split(":", 1)[0] as DeliveryKind);
    await Promise.all(
      Array.from(kinds, async ([kind, entries]) => {
        const delivery = this.#options.deliveries[kind];
        const { laneOf } = delivery;
        for (const entry of entries)
          if (laneOf === undefined) await this.#deliver(delivery, entry);
          else this.#deliverInLane(laneOf(entry.id), delivery, entry);
      }),
    );
  }

  #deliverInLane(lane: string, delivery: Delivery, entry: OutboxEntry): void {
    this.#store.putOutbox({ ...entry, dueAtMs: this.#clock.now() + LEASE_MS });
    if (this.#underWay.has(entry.id)) return;
    this.#underWay.add(entry.id);
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const done = before
      .then(() => this.#deliver(delivery, entry, lane))
      .catch(() => undefined) // the storage failed: the entry is due again when its lease is over
      .finally(() => {
        this.#underWay.delete(entry.id);
        if (this.#lanes.get(lane) !== done) return;
        this.#lanes.delete(lane);
        this.#halted.delete(lane);
        this.#options.onLaneDone?.();
      });
    this.#lanes.set(lane, done);
  }

  async #deliver(delivery: Delivery, entry: OutboxEntry, lane = ""): Promise<void> {
    let undelivered: Undelivered | undefined | void;
    let reason: unknown;
    try {
      if (this.#halted.has(lane)) throw this.#halted.get(lane);
      undelivered = await delivery.deliver(JSON.parse(entry.payload) as JsonValue);
    } catch (error) {
      if (PlatformFault.is(error)) throw error; // the run's own storage failed, so this was not an attempt (H4)
      reason = error;
      if (delivery.haltsLane?.(error)) this.#halted.set(lane, error);
      undelivered = { left: JSON.parse(entry.payload) as JsonValue };
    }
    if (undelivered === undefined)
      return this.#store.removeOutbox(entry, { lazily: delivery.isRepeatable === true });
    const { left, againInMs } = undelivered;
    const current = this.#store.outbox().find(({ id }) => id === entry.id);
    if (current?.payload !== entry.payload) return;
    const now = this.#clock.now();
    if (againInMs !== undefined) {
      const payload = JSON.stringify(left);
      return this.#store.putOutbox({ ...entry, payload, attempts: 0, dueAtMs: now + againInMs });
    }
    const attempts = entry.attempts + 1;
    const isLast = attempts >= (delivery.maxAttempts ?? Number.POSITIVE_INFINITY);
    if (isLast || (reason !== undefined && delivery.isPermanent?.(reason) === true)) {
      await delivery.giveUp?.(left, reason, attempts);
      return this.#store.removeOutbox(entry);
    }
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** entry.attempts);
    const payload = JSON.stringify(
      reason === undefined ? left : (delivery.noted?.(left, reason) ?? left),
    );
    this.#store.putOutbox({ ...entry, payload, attempts, dueAtMs: now + delayMs });
  }
}
