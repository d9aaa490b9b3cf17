// Stored log of webhook deliveries.

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
  /** Set if the row stands for all deliveries of a minute with the same signature problem. */
  readonly unsigned?: true | undefined;
  /** Number of deliveries in the row. */
  readonly count: number;
};

type OfHook = { readonly tenant: string; readonly hook: string };

/** Number of newest deliveries kept of each webhook, and their maximum age. */
export const MAX_DELIVERIES = 100;
export const DELIVERY_AGE_MS = 30 * 86_400_000;

export interface DeliveryStore {
  /**
   * Stores a delivery and drops the oldest. A delivery with the id of a stored one is counted there. A delivery whose
   * run another one has started is stored as `repeated`.
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
  /** Deletes the rows of a deleted webhook. */
  deleteOf(of: OfHook): Promise<void>;
  /** Deletes earlier rows of all webhooks. */
  deleteBefore(ms: number): Promise<void>;
}
