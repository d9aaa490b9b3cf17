// Answers of the backup operations, also read by clients.

/** Outcome of restoring a run. */
export type RestoreOutcome = "restored" | "same" | "conflict";

/** Contents of a tenant's backup. */
export type BackupContents = {
  readonly format: string;
  readonly tenant: string;
  /** Columns of each table, in the order of restoration. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
};

/** Outcome for one run. */
export type RestoredRun = {
  readonly id: string;
  readonly outcome: RestoreOutcome;
  /** Id of the run that continues an open run. */
  readonly resumedAs?: string;
};
