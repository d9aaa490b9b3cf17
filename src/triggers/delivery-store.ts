// What became of deliveries of webhooks.

/** `repeated`: the run was there already; `refused`: the delivery's fault; `failed`: ours. */
export const DELIVERY_OUTCOMES = ["started", "repeated", "handshake", "refused", "failed"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export type StoredDelivery = {
  /** Orders by time. */
  readonly id: string;
  readonly atMs: number;
  readonly outcome: DeliveryOutcome;
  /** Of the answer. */
  readonly status: number;
  readonly runId?: string | undefined;
  /** The event's type, if a header names it. */
  readonly event?: string | undefined;
  /** Why it was refused, or failed. */
  readonly reason?: string | undefined;
  readonly bytes: number;
  /** Of a webhook with `keepBodies`: the beginning of the body. */
  readonly body?: string | undefined;
  /** Stands for all deliveries of a minute that the sender did not sign, for the same reason. */
  readonly unsigned?: true | undefined;
  /** Deliveries that it stands for. */
  readonly count: number;
};

type OfHook = { readonly tenant: string; readonly hook: string };

/** Deliveries kept of each webhook, the newest ones, and for how long. */
export const MAX_DELIVERIES = 100;
export const DELIVERY_AGE_MS = 30 * 86_400_000;

export interface DeliveryStore {
  /**
   * Stores a delivery and drops the oldest. With the id of one that is there, it is counted there. One that has started the run of
   * another one is `repeated`.
   */
  add(of: OfHook, delivery: Omit<StoredDelivery, "count">): Promise<void>;
  /** Newest first, without bodies. */
  list(
    of: OfHook,
    page: {
      readonly before?: string | undefined;
      readonly outcome?: DeliveryOutcome | undefined;
      readonly sinceMs: number;
      readonly limit: number;
    },
  ): Promise<ReadonlyArray<Omit<StoredDelivery, "body">>>;
  get(
    of: OfHook,
    which: { readonly id: string; readonly sinceMs: number },
  ): Promise<StoredDelivery | undefined>;
  /** Those of a webhook that was deleted. */
  deleteOf(of: OfHook): Promise<void>;
  /** Those of all webhooks from before. */
  deleteBefore(ms: number): Promise<void>;
}
