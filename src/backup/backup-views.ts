// What the operations of backups answer. Clients read it, too.

/** What became of a run that was to be restored. */
export type RestoreOutcome = "restored" | "same" | "conflict";

/** What a backup of a tenant has. */
export type BackupContents = {
  readonly format: string;
  readonly tenant: string;
  /** The columns of each table, in the order in which tables are restored. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
};

/** What became of one run. */
export type RestoredRun = {
  readonly id: string;
  readonly outcome: RestoreOutcome;
  /** Where an open run goes on. */
  readonly resumedAs?: string;
};
