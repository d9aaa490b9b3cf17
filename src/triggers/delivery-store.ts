// Stored log of webhook deliveries.

/** `repeated`: the run existed already; `refused`: an error of the sender; `failed`: an internal error. */
export const DELIVERY_OUTCOMES = ["started", "repeated", "handshake", "refused", "failed"] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export type StoredDelivery = {
  /** Sorts by time. */
  readonly id: string;
  readonly atMs: number;
  readonly outcome: DeliveryOutcome;
  /** Status of the answer. */
  readonly status: number;
  readonly runId?: string | undefined;
  /** The event's type, if a header names it. */
  readonly event?: string | undefined;
  /** Reason of a refusal or failure. */
  readonly reason?: string | undefined;
  readonly bytes: number;
  /** Beginning of the body, for webhooks with `keepBodies`. */
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
  /** Lists deliveries, newest first, without bodies. */
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
