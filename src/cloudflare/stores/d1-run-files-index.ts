import type { RunFilesIndex } from "../../files/file-index.ts";
import { runWorkspace } from "../../files/workspace.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

/** Index of the files of a tenant's runs, in D1. */
export class D1RunFilesIndex extends D1TenantStore<BatchDatabase> implements RunFilesIndex {
  async forked({ id, from }: { readonly id: string; readonly from: string }): Promise<void> {
    const on = this.#statements(id, from);
    await onDatabase(() =>
      this.db.batch([
        on(
          `INSERT OR IGNORE INTO workspace_files (tenant, workspace, path, media_type, bytes, sha256, updated_at)
           SELECT tenant, ?2, path, media_type, bytes, sha256, updated_at FROM workspace_files WHERE tenant = ?1 AND workspace = ?3`,
          runWorkspace(id),
          runWorkspace(from),
        ),
        on(
          "INSERT OR IGNORE INTO file_uses (tenant, file_id, run_id) SELECT tenant, file_id, ?2 FROM file_uses WHERE tenant = ?1 AND run_id = ?3",
        ),
        on(
          "INSERT OR IGNORE INTO run_workspaces (tenant, run_id, workspace) SELECT tenant, ?2, workspace FROM run_workspaces WHERE tenant = ?1 AND run_id = ?3",
        ),
      ]),
    );
  }

  async forgotten(runId: string): Promise<void> {
    const on = this.#statements(runId);
    const heir = `SELECT u.run_id FROM file_uses u WHERE u.tenant = ?1 AND u.file_id = stored_files.id`;
    await onDatabase(() =>
      this.db.batch([
        on("DELETE FROM file_uses WHERE tenant = ?1 AND run_id = ?2"),
        on(
          `UPDATE stored_files SET run_id = (${heir} LIMIT 1) WHERE tenant = ?1 AND run_id = ?2 AND EXISTS (${heir})`,
        ),
        on("DELETE FROM stored_files WHERE tenant = ?1 AND run_id = ?2"),
        on("DELETE FROM workspace_files WHERE tenant = ?1 AND workspace = ?2", runWorkspace(runId)),
        on("DELETE FROM run_workspaces WHERE tenant = ?1 AND run_id = ?2"),
      ]),
    );
  }

  /**
   * Prepares statements with the tenant as `?1`. The other parameters are the passed values, or `usual` without any.
   */
  #statements(...usual: readonly string[]): (sql: string, ...values: string[]) => Statement {
    return (sql, ...values) =>
      this.db.prepare(sql).bind(this.tenant, ...(values.length === 0 ? usual : values));
  }
}
