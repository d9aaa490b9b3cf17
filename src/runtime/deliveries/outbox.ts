// Outbox: what a run still has to deliver to the outside, each entry until it has been taken.
import type { Clock } from "../../base/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import { PlatformFault } from "../../base/platform-fault.ts";
import type { ChildPointers, ChildReport, RunParent } from "../children/child-run.ts";
import type { RunIndexRow } from "../run.ts";
import type { OutboxEntry, RunStore } from "../run-store.ts";
import type { WebhookDelivery } from "./webhooks.ts";

/** Receives what a run delivers. A rejection means that the delivery is tried again later; each must be safe to repeat. */
export interface OutboxSink {
  /** Absent where no index is kept. */
  index?(row: RunIndexRow): Promise<void>;
  /** Has children started. Absent where there are no children. */
  dispatch?(children: ChildPointers): Promise<Dispatched>;
  /** Reports to a parent how its child ended. Rejects with `not_found` when the parent no longer exists. */
  report?(parent: RunParent & { readonly tenant: string }, report: ChildReport): Promise<void>;
  /** Cancels children; resolves to those that it could not find or reach. */
  cancel?(children: ChildPointers, reason: string): Promise<readonly string[]>;
  /** Delivers an event to an address outside. Absent where runs have no webhooks. */
  webhook?(delivery: WebhookDelivery): Promise<void>;
}

/** What has become of a dispatch. */
export type Dispatched = {
  /** Children that are not known to be started. */
  readonly left: readonly string[];
  /** They are on their way, and the parent will be notified when they have begun. */
  readonly onTheWay?: boolean;
};

/** What of an entry has not been delivered yet. */
export type Undelivered = {
  readonly left: JsonValue;
  /** When to check an entry that is on its way, in milliseconds; it does not count as a failed attempt. */
  readonly againInMs?: number;
};

/** How entries of one kind are delivered. */
export type Delivery = {
  /** Resolves to what is left to deliver; undefined when nothing is. A rejection leaves all of it. */
  readonly deliver: (payload: JsonValue) => Promise<Undelivered | undefined | void>;
  /** After this many attempts the entry is given up. @default unlimited */
  readonly maxAttempts?: number;
  /** Whether another attempt can only fail in the same way: the entry is given up. @default never */
  readonly isPermanent?: (error: unknown) => boolean;
  /** What of a failure is kept with an entry that is tried again. @default nothing */
  readonly noted?: (left: JsonValue, reason: unknown) => JsonValue;
  /**
   * Called with what is left of an entry that is given up, the reason why its last attempt failed, and how many there were. The entry stays until what
   * follows from that is on record: a failure is followed by another attempt, so this must be safe to repeat.
   */
  readonly giveUp?: (left: JsonValue, reason: unknown, attempts: number) => void | Promise<void>;
  /** Whether a repeated delivery changes nothing: that one was taken need not be stored by itself. @default it is */
  readonly isRepeatable?: boolean;
  /** The lane of an entry. `flush` does not wait for lanes: they run side by side, the entries of one lane in turn. */
  readonly laneOf?: (id: string) => string;
  /** Whether a failure holds for the rest of its lane: each entry there has then had an attempt, and none is made. */
  readonly haltsLane?: (error: unknown) => boolean;
};

/** An entry's id is its kind, or `<kind>:<which>` where there may be several. */
export type DeliveryKind = "index" | "dispatch" | "report" | "cancel" | "clean-up" | "webhook";

export type OutboxId = DeliveryKind | `${DeliveryKind}:${string}`;

export type OutboxOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly deliveries: Readonly<Record<DeliveryKind, Delivery>>;
  /** Called when a lane is empty: the time of the next delivery may have changed. @default nobody is */
  readonly onLaneDone?: () => void;
};

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10 * 60_000;
/** How far an entry is put off while it is being delivered in a lane: it is due again should the process be gone. */
const LEASE_MS = 60_000;

/** Makes a run's deliveries: kinds side by side, entries of one kind oldest first. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #store: RunStore;
  readonly #clock: Clock;
  /** The end of the work of each lane, and the entries in it. */
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #underWay = new Set<string>();
  /** Lanes that nothing gets through at the moment, and why. */
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

  /** Tries every entry that is due once. Does not wait for lanes. */
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
      .catch(() => undefined) // the storage gave way: the entry is due again when its lease is over
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
      if (PlatformFault.is(error)) throw error; // the run's own storage gave way: this was no attempt (H4)
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
