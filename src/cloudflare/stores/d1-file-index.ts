import type { FileIndex, FileListing, FileQuota, FileRow } from "../../files/file-index.ts";
import type { FileKind } from "../../files/file-ref.ts";
import { cursorAfterPlace, pageOf, placeOfCursor, type Page } from "../../runtime/page.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

type Row = {
  id: string;
  name: string;
  media_type: string;
  kind: FileKind;
  bytes: number;
  sha256: string;
  details: string | null;
  run_id: string | null;
  created_at: number;
  expires_at: number | null;
};

/** Time from the upload of a run's file to its first check, in milliseconds. By then the run exists. */
const FIRST_LOOK_MS = 60 * 60_000;

/** Uses by active runs. */
export const USES_UNDER_WAY =
  "SELECT r.id FROM file_uses u JOIN runs r ON r.tenant = u.tenant AND r.id = u.run_id WHERE r.status NOT IN ('completed', 'failed', 'cancelled')";
const IS_THERE = `(f.expires_at IS NULL OR f.expires_at > ?2 OR EXISTS (${USES_UNDER_WAY} AND u.tenant = f.tenant AND u.file_id = f.id))`;

/** A tenant's stored files in D1. */
export class D1FileIndex extends D1TenantStore<BatchDatabase> implements FileIndex {
  add(
    row: FileRow,
    { path, quota }: { readonly path: string; readonly quota: FileQuota },
  ): Promise<FileRow | undefined> {
    const { id, sha256 } = row;
    const tenant = this.tenant;
    return onDatabase(async () => {
      const [, , , found] = await this.db.batch([
        this.#insert(row, path, quota),
        this.db
          .prepare(
            `INSERT INTO file_blobs (tenant, sha256, path) SELECT ?1, ?3, ?4
             WHERE EXISTS (SELECT 1 FROM stored_files WHERE tenant = ?1 AND id = ?2 AND sha256 = ?3)
             ON CONFLICT (tenant, sha256) DO NOTHING`,
          )
          .bind(tenant, id, sha256, path),
        this.db
          .prepare(
            `DELETE FROM file_removals WHERE tenant = ?1 AND path = ?3
             AND EXISTS (SELECT 1 FROM file_blobs WHERE tenant = ?1 AND sha256 = ?2 AND path = ?3)`,
          )
          .bind(tenant, sha256, path),
        this.db.prepare("SELECT * FROM stored_files WHERE tenant = ? AND id = ?").bind(tenant, id),
      ]);
      const [stored] = found?.results ?? [];
      return stored === undefined ? undefined : toFile(stored as Row);
    });
  }

  /** Inserts the row of an upload that is still expected, within the quota. */
  #insert(row: FileRow, path: string, quota: FileQuota) {
    const {
      id,
      name,
      mediaType,
      kind,
      bytes,
      sha256,
      runId,
      createdAtMs,
      expiresAtMs,
      ...details
    } = row;
    const sweepAtMs = expiresAtMs ?? (runId === undefined ? null : createdAtMs + FIRST_LOOK_MS);
    return this.db
      .prepare(
        `INSERT INTO stored_files (tenant, id, name, media_type, kind, bytes, sha256, details, run_id, created_at, expires_at, sweep_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
         WHERE EXISTS (SELECT 1 FROM file_removals WHERE tenant = ?1 AND path = ?13)
           AND (SELECT COUNT(*) FROM stored_files WHERE tenant = ?1) < ?14
           AND (SELECT COALESCE(SUM(bytes), 0) FROM stored_files WHERE tenant = ?1) + ?6 <= ?15
         ON CONFLICT (tenant, id) DO NOTHING`,
      )
      .bind(
        this.tenant,
        id,
        name,
        mediaType,
        kind,
        bytes,
        sha256,
        Object.keys(details).length === 0 ? null : JSON.stringify(details),
        runId ?? null,
        createdAtMs,
        expiresAtMs ?? null,
        sweepAtMs,
        path,
        quota.files,
        quota.bytes,
      );
  }

  get(id: string, nowMs: number): Promise<FileRow | undefined> {
    return onDatabase(async () => {
      const row = await this.db
        .prepare(`SELECT * FROM stored_files f WHERE f.tenant = ?1 AND f.id = ?3 AND ${IS_THERE}`)
        .bind(this.tenant, nowMs, id)
        .first();
      return row === null ? undefined : toFile(row as Row);
    });
  }

  list({ kind, runId, cursor, limit, nowMs }: FileListing): Promise<Page<FileRow>> {
    const conditions = ["f.tenant = ?1", IS_THERE];
    const values: (string | number)[] = [this.tenant, nowMs];
    const add = (condition: (index: string) => string, ...bound: (string | number)[]): void => {
      conditions.push(condition(`?${values.length + 1}`));
      values.push(...bound);
    };
    if (kind !== undefined) add((at) => `f.kind = ${at}`, kind);
    if (runId !== undefined)
      add(
        (at) =>
          `(f.run_id = ${at} OR f.id IN (SELECT file_id FROM file_uses WHERE tenant = ?1 AND run_id = ${at}))`,
        runId,
      );
    if (cursor !== undefined) {
      const [createdAtMs, id] = placeOfCursor(cursor, ["number", "string"]);
      const next = `?${values.length + 2}`;
      add((at) => `(f.created_at, f.id) < (${at}, ${next})`, createdAtMs, id);
    }
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          `SELECT * FROM stored_files f WHERE ${conditions.join(" AND ")} ORDER BY f.created_at DESC, f.id DESC LIMIT ${limit + 1}`,
        )
        .bind(...values)
        .all();
      return pageOf(results as Row[], limit, {
        item: toFile,
        cursor: (last) => cursorAfterPlace([last.created_at, last.id]),
      });
    });
  }

  usage(): Promise<FileQuota> {
    return onDatabase(async () => {
      const row = await this.db
        .prepare(
          "SELECT COUNT(*) AS files, COALESCE(SUM(bytes), 0) AS bytes FROM stored_files WHERE tenant = ?",
        )
        .bind(this.tenant)
        .first();
      return row as FileQuota;
    });
  }

  delete(id: string): Promise<boolean> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare("DELETE FROM stored_files WHERE tenant = ? AND id = ? RETURNING id")
        .bind(this.tenant, id)
        .all();
      return results.length > 0;
    });
  }

  async use(runId: string, ids: readonly string[]): Promise<void> {
    await onDatabase(() =>
      this.db
        .prepare(
          "INSERT OR IGNORE INTO file_uses (tenant, file_id, run_id) SELECT ?1, value, ?2 FROM json_each(?3)",
        )
        .bind(this.tenant, runId, JSON.stringify(ids))
        .run(),
    );
  }

  runsUsing(id: string): Promise<readonly string[]> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(`${USES_UNDER_WAY} AND u.tenant = ? AND u.file_id = ?`)
        .bind(this.tenant, id)
        .all();
      return (results as ReadonlyArray<{ id: string }>).map((row) => row.id);
    });
  }
}

function toFile(row: Row): FileRow {
  const { details, run_id: runId, expires_at: expiresAtMs } = row;
  return {
    ...(details === null ? undefined : (JSON.parse(details) as Partial<FileRow>)),
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    kind: row.kind,
    bytes: row.bytes,
    sha256: row.sha256,
    ...(runId === null ? undefined : { runId }),
    createdAtMs: row.created_at,
    ...(expiresAtMs === null ? undefined : { expiresAtMs }),
  };
}
