import type { FileSweepIndex } from "../../files/file-sweep.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";
import { USES_UNDER_WAY } from "./d1-file-index.ts";

/** Time to the next check of a file in use, in milliseconds. */
const AGAIN_MS = 60 * 60_000;

const DUE =
  "(tenant, id) IN (SELECT tenant, id FROM stored_files WHERE sweep_at <= ?1 ORDER BY sweep_at LIMIT ?2)";
/** True for an expired file in use by an active run, and for a file without expiry whose run exists. */
const IS_KEPT = `CASE WHEN expires_at IS NULL
  THEN EXISTS (SELECT 1 FROM runs r WHERE r.tenant = stored_files.tenant AND r.id = stored_files.run_id)
  ELSE EXISTS (${USES_UNDER_WAY} AND u.tenant = stored_files.tenant AND u.file_id = stored_files.id) END`;

/** Stored files of all tenants in D1, for the sweeper. */
export class D1FileSweep implements FileSweepIndex {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  async expire(nowMs: number, limit: number): Promise<void> {
    await onDatabase(() =>
      this.#db.batch([
        this.#db
          .prepare(
            `UPDATE stored_files SET sweep_at = CASE WHEN expires_at IS NULL THEN NULL ELSE ?3 END WHERE ${DUE} AND ${IS_KEPT}`,
          )
          .bind(nowMs, limit, nowMs + AGAIN_MS),
        this.#db
          .prepare(`DELETE FROM stored_files WHERE ${DUE} AND NOT ${IS_KEPT}`)
          .bind(nowMs, limit),
      ]),
    );
  }

  tenants(nowMs: number, limit: number): Promise<readonly string[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          "SELECT tenant FROM file_removals WHERE due_at <= ?1 UNION SELECT tenant FROM file_uploads WHERE due_at <= ?1 LIMIT ?2",
        )
        .bind(nowMs, limit)
        .all();
      return (results as ReadonlyArray<{ tenant: string }>).map(({ tenant }) => tenant);
    });
  }
}
