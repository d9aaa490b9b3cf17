import type { Page } from "../runtime/page.ts";

/** A stored row of a table, without its tenant. */
export type BackupRow = Readonly<Record<string, string | number | null>>;

/** Outcome of restoring rows. */
export type RestoredRows = {
  readonly written: number;
  /** Number of equal existing rows. */
  readonly same: number;
  /** Keys of existing rows with other contents. These rows stay unchanged. */
  readonly conflicts: readonly BackupRow[];
};

/** The rows of a deployment's tables, for backups. */
export interface BackupRows {
  /** Returns rows in the order of their keys or numbers: at most `limit`, and about four million characters. */
  page(query: {
    readonly tenant: string;
    readonly table: string;
    readonly cursor?: string | undefined;
    readonly limit: number;
  }): Promise<Page<BackupRow>>;
  /**
   * Compares the rows with the stored ones and returns the missing rows and the outcome of the others. Writes nothing.
   */
  compare(
    tenant: string,
    table: string,
    rows: readonly BackupRow[],
  ): Promise<Omit<RestoredRows, "written"> & { readonly missing: readonly BackupRow[] }>;
  /**
   * Adds rows. Skips a row with a taken key, or one older than the last of its history. Returns a flag for each row:
   * true if it was added.
   */
  insert(tenant: string, table: string, rows: readonly BackupRow[]): Promise<readonly boolean[]>;
}
