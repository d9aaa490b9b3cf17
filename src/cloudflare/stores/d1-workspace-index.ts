import type {
  ChangeOutcome,
  EntryChange,
  WorkspaceIndex,
  WorkspaceLimits,
} from "../../files/workspace-index.ts";
import { MAX_WORKSPACE_FILES, type WorkspaceFile } from "../../files/workspace.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

type Row = { path: string; media_type: string; bytes: number; sha256: string };

const ENTRY = "path, media_type, bytes, sha256";
/** Changes, one row each: `c.value` is `{ path, sha256, mediaType, bytes, blob, checked, before }`. */
const CHANGES = "json_each(?3) c";
const MAY_CHANGE = "EXISTS (SELECT 1 FROM workspace_changes WHERE tenant = ?1 AND token = ?2)";

/** The files of a tenant's workspaces in D1. */
export class D1WorkspaceIndex extends D1TenantStore<BatchDatabase> implements WorkspaceIndex {
  get(workspace: string, path: string): Promise<WorkspaceFile | undefined> {
    return onDatabase(async () => {
      const row = await this.db
        .prepare(
          `SELECT ${ENTRY} FROM workspace_files WHERE tenant = ? AND workspace = ? AND path = ?`,
        )
        .bind(this.tenant, workspace, path)
        .first();
      return row === null ? undefined : toEntry(row as Row);
    });
  }

  list(workspace: string, prefix: string): Promise<readonly WorkspaceFile[]> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          `SELECT ${ENTRY} FROM workspace_files WHERE tenant = ?1 AND workspace = ?2 AND path >= ?3
           AND path <= ?3 || char(1114111) AND substr(path, 1, length(?3)) = ?3 ORDER BY path LIMIT ${MAX_WORKSPACE_FILES}`,
        )
        .bind(this.tenant, workspace, prefix)
        .all();
      return (results as Row[]).map(toEntry);
    });
  }

  change(
    workspace: string,
    changes: readonly EntryChange[],
    { limits, nowMs, token }: { limits: WorkspaceLimits; nowMs: number; token: string },
  ): Promise<ChangeOutcome> {
    const list = listOf(changes);
    const on = (sql: string, ...values: ReadonlyArray<string | number>): Statement =>
      this.db.prepare(sql).bind(this.tenant, token, list, ...values);
    return onDatabase(async () => {
      const done = await this.db.batch([
        on(
          `INSERT INTO workspace_changes (tenant, token) SELECT ?1, ?2
           WHERE ${FITS} AND (${ADDED} = 0 OR (${COUNT} <= ?5 AND ${SUM} <= ?6)) AND ${LOST} = 0`,
          workspace,
          limits.files,
          limits.bytes,
        ),
        on(
          `INSERT INTO workspace_files (tenant, workspace, path, media_type, bytes, sha256, updated_at)
           SELECT ?1, ?4, c.value->>'path', c.value->>'mediaType', c.value->>'bytes', c.value->>'sha256', ?5
           FROM ${CHANGES} WHERE c.value->>'sha256' IS NOT NULL AND ${MAY_CHANGE}
           ON CONFLICT (tenant, workspace, path) DO UPDATE SET media_type = excluded.media_type,
             bytes = excluded.bytes, sha256 = excluded.sha256, updated_at = excluded.updated_at`,
          workspace,
          nowMs,
        ),
        on(
          `INSERT INTO file_blobs (tenant, sha256, path) SELECT ?1, c.value->>'sha256', c.value->>'blob'
           FROM ${CHANGES} WHERE c.value->>'sha256' IS NOT NULL AND ${MAY_CHANGE}
           ON CONFLICT (tenant, sha256) DO NOTHING`,
        ),
        on(
          `DELETE FROM file_removals WHERE tenant = ?1 AND ${MAY_CHANGE} AND path IN
             (SELECT b.path FROM ${CHANGES} JOIN file_blobs b ON b.tenant = ?1
              AND b.sha256 = c.value->>'sha256' AND b.path = c.value->>'blob')`,
        ),
        on(
          `DELETE FROM workspace_files WHERE tenant = ?1 AND workspace = ?4 AND ${MAY_CHANGE}
             AND path IN (SELECT c.value->>'path' FROM ${CHANGES} WHERE c.value->>'sha256' IS NULL)`,
          workspace,
        ),
        on(
          `SELECT CASE WHEN ${LOST} > 0 THEN 'lost' WHEN ${FITS} THEN 'limit' ELSE 'conflict' END AS reason`,
          workspace,
        ),
        this.db
          .prepare("DELETE FROM workspace_changes WHERE tenant = ? AND token = ? RETURNING token")
          .bind(this.tenant, token),
      ]);
      if (done.at(-1)?.results.length === 1) return "done";
      const [row] = (done.at(-2)?.results ?? []) as { reason: "lost" | "limit" | "conflict" }[];
      return row?.reason ?? "conflict";
    });
  }

  async assign(runId: string, workspace: string): Promise<void> {
    await onDatabase(() =>
      this.db
        .prepare(
          "INSERT OR REPLACE INTO run_workspaces (tenant, run_id, workspace) VALUES (?, ?, ?)",
        )
        .bind(this.tenant, runId, workspace)
        .run(),
    );
  }

  assigned(runId: string): Promise<string | undefined> {
    return onDatabase(async () => {
      const row = await this.db
        .prepare("SELECT workspace FROM run_workspaces WHERE tenant = ? AND run_id = ?")
        .bind(this.tenant, runId)
        .first();
      return (row as { workspace: string } | null)?.workspace;
    });
  }
}

/** True if every checked file still has its previous hash. */
const FITS = `NOT EXISTS (SELECT 1 FROM ${CHANGES} LEFT JOIN workspace_files w
  ON w.tenant = ?1 AND w.workspace = ?4 AND w.path = c.value->>'path'
  WHERE c.value->>'checked' = 1 AND c.value->>'before' IS NOT w.sha256)`;
/** Number of blobs removed before an entry referenced them. */
const LOST = `(SELECT COUNT(*) FROM ${CHANGES} WHERE c.value->>'blob' IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM file_removals r WHERE r.tenant = ?1 AND r.path = c.value->>'blob'))`;
const OTHERS = `workspace_files WHERE tenant = ?1 AND workspace = ?4
  AND path NOT IN (SELECT c.value->>'path' FROM ${CHANGES})`;
const ADDED = `(SELECT COUNT(*) FROM ${CHANGES} WHERE c.value->>'sha256' IS NOT NULL)`;
const COUNT = `(SELECT COUNT(*) FROM ${OTHERS}) + ${ADDED}`;
const SUM = `(SELECT COALESCE(SUM(bytes), 0) FROM ${OTHERS}) + (SELECT COALESCE(SUM(c.value->>'bytes'), 0) FROM ${CHANGES})`;

function toEntry({ path, media_type: mediaType, bytes, sha256 }: Row): WorkspaceFile {
  return { path, mediaType, bytes, sha256 };
}

/** Returns the changes as the statements read them. */
function listOf(changes: readonly EntryChange[]): string {
  return JSON.stringify(
    changes.map(({ path, entry, before }) => ({
      path,
      ...entry,
      before: before ?? null,
      checked: before !== undefined,
    })),
  );
}
