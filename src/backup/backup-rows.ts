import type { Page } from "../runtime/page.ts";

/** A row of a table as it is stored, without its tenant. */
export type BackupRow = Readonly<Record<string, string | number | null>>;

/** What became of rows that were restored. */
export type RestoredRows = {
  readonly written: number;
  /** There already, and equal. */
  readonly same: number;
  /** The keys of those that are there with other contents, which stay as they are. */
  readonly conflicts: readonly BackupRow[];
};

/** The rows of a deployment's tables, for backups. */
export interface BackupRows {
  /** In the order of keys, or of their numbers; at most `limit` rows, and about four million characters. */
  page(query: {
    readonly tenant: string;
    readonly table: string;
    readonly cursor?: string | undefined;
    readonly limit: number;
  }): Promise<Page<BackupRow>>;
  /** Rows that are not there yet, and what became of the others. Writes nothing. */
  compare(
    tenant: string,
    table: string,
    rows: readonly BackupRow[],
  ): Promise<Omit<RestoredRows, "written"> & { readonly missing: readonly BackupRow[] }>;
  /** Adds rows. One whose key is taken, or that is older than the last of its history, stays out. Returns which were added. */
  insert(tenant: string, table: string, rows: readonly BackupRow[]): Promise<readonly boolean[]>;
}
