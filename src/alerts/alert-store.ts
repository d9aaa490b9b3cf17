// What has happened that somebody wants to know, counted by kind until it is sent.

/** What alerts are sent about. */
export const ALERT_KINDS = [
  "run_failed",
  "run_held",
  "dead_letter",
  "webhook_abandoned",
  "quota_80",
  "sweeper_late",
  "error_rate",
] as const;
/** What an alert is about. */
export type AlertKind = (typeof ALERT_KINDS)[number];

/** One of the things that an alert is about. */
export type AlertExample = {
  readonly tenant?: string;
  readonly run?: string;
  readonly quota?: string;
};

/** What is due, claimed by one caller. */
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
  /** Those that have something to send. Until `untilMs`, no other caller gets them. */
  claim(nowMs: number, untilMs: number): Promise<readonly DueAlert[]>;
  /** What was sent is off the count. */
  sent(alert: DueAlert): Promise<void>;
  /** It is tried again. */
  failed(alert: DueAlert, dueAtMs: number): Promise<void>;
  /** When the cron was here before; notes that it is here now. */
  swept(nowMs: number): Promise<number | undefined>;
  /** How the runs of all tenants ended since an hour. Needs the tables of `usage()`. */
  ended(sinceMs: number): Promise<{ readonly completed: number; readonly failed: number }>;
}
