import type { BackupContents, RestoredRun } from "../backup/backup-views.ts";
import type { BackupRow, RestoredRows } from "../backup/backup-rows.ts";
import type { ExportedRun } from "../runtime/export-run.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { PageOptions } from "./page-options.ts";
import type { Transport } from "./transport.ts";

/** Tenant of a backup. */
export type BackupOptions = {
  /** Needs a key of the operator. @default the tenant of the key */
  readonly tenant?: string | undefined;
};

/** Backups, for Workers with the part `backup()`. Needs an admin key. */
export class BackupApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the tables of a backup, in the order of their restoration. */
  contents(options: BackupOptions = {}): Promise<BackupContents> {
    return this.#transport.json("/backup", { query: { ...options } });
  }

  /** Returns a page of a table's stored rows. */
  rows(table: string, options: BackupOptions & PageOptions = {}): Promise<Page<BackupRow>> {
    return this.#transport.json(pathOf(table), { query: { ...options } });
  }

  /** Adds rows, at most 40; existing ones stay. `dry` writes nothing. */
  restoreRows(
    table: string,
    rows: readonly BackupRow[],
    options: BackupOptions & { readonly dry?: boolean } = {},
  ): Promise<RestoredRows> {
    return this.#transport.json(pathOf(table), {
      method: "POST",
      query: { ...options },
      json: { rows },
    });
  }

  /** Returns a page of the runs, newest first. */
  runs(
    options: BackupOptions & PageOptions = {},
  ): Promise<Page<{ readonly id: string; readonly createdAt: string }>> {
    return this.#transport.json("/backup/runs", { query: { ...options } });
  }

  /** Returns a run as a document. */
  run(id: string, options: BackupOptions = {}): Promise<ExportedRun> {
    return this.#transport.json(`/backup/runs/${encodeURIComponent(id)}`, {
      query: { ...options },
      isSlow: true,
    });
  }

  /** Restores a run; with `resume`, an open run continues under a new id. `dry` writes nothing. */
  restoreRun(
    exported: ExportedRun,
    options: BackupOptions & { readonly resume?: boolean; readonly dry?: boolean } = {},
  ): Promise<RestoredRun> {
    return this.#transport.json("/runs/import", {
      method: "POST",
      query: { ...options },
      json: exported,
    });
  }
}

function pathOf(table: string): string {
  return `/backup/tables/${encodeURIComponent(table)}`;
}
