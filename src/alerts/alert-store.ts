// Alerts counted by kind until they are sent.

/** Kinds of alerts. */
export const ALERT_KINDS = [
  "run_failed",
  "run_held",
  "dead_letter",
  "webhook_abandoned",
  "quota_80",
  "sweeper_late",
  "error_rate",
] as const;
/** Kind of an alert. */
export type AlertKind = (typeof ALERT_KINDS)[number];

/** One occurrence, as an example for the alert. */
export type AlertExample = {
  readonly tenant?: string;
  readonly run?: string;
  readonly quota?: string;
};

/** Due alerts of a kind, claimed by one caller. */
export type DueAlert = {
  readonly kind: AlertKind;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly example: AlertExample | undefined;
  readonly attempts: number;
};

export interface AlertStore {
  add(
    kind: AlertKind,
    about: { readonly atMs: number; readonly example: AlertExample },
  ): Promise<void>;
  /** Claims the due alerts. No other caller gets them until `untilMs`. */
  claim(nowMs: number, untilMs: number): Promise<readonly DueAlert[]>;
  /** Subtracts the sent alert from the count. */
  sent(alert: DueAlert): Promise<void>;
  /** Returns the alert for a retry at `dueAtMs`. */
  failed(alert: DueAlert, dueAtMs: number): Promise<void>;
  /** Notes the present run of the cron and returns the time of the previous one. */
  swept(nowMs: number): Promise<number | undefined>;
  /** Counts the runs of all tenants that ended since `sinceMs`. Needs the tables of `usage()`. */
  ended(sinceMs: number): Promise<{ readonly completed: number; readonly failed: number }>;
}
