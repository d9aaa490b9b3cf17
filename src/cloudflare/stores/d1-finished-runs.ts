import type { FinishedRun, FinishedRuns } from "../../retention/finished-runs.ts";
import { rowsOf, type BatchDatabase } from "../d1.ts";

const IS_FINISHED = "lease_until IS NULL AND status IN ('completed', 'failed', 'cancelled')";

type Row = { id: string; name: string; status: string; created_at: number; updated_at: number };

/** Finished runs in D1's index of all runs, in the order of their start. */
export class D1FinishedRuns implements FinishedRuns {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  /** Costs one lookup of the key for each tenant. */
  tenants(): Promise<readonly string[]> {
    return rowsOf<{ tenant: string }>(
      this.#db,
      `WITH RECURSIVE names(tenant) AS (
         SELECT (SELECT MIN(tenant) FROM runs)
         UNION ALL SELECT (SELECT MIN(tenant) FROM runs WHERE tenant > names.tenant) FROM names WHERE names.tenant IS NOT NULL)
       SELECT tenant FROM names WHERE tenant IS NOT NULL`,
      [],
    ).then((rows) => rows.map(({ tenant }) => tenant));
  }

  async oldest(query: Parameters<FinishedRuns["oldest"]>[0]): Promise<readonly FinishedRun[]> {
    const { tenant, createdBeforeMs, after, limit } = query;
    const rows = await rowsOf<Row>(
      this.#db,
      `SELECT id, name, status, created_at, updated_at FROM runs AS run
       WHERE tenant = ?1 AND created_at < ?2 AND (created_at, id) > (?3, ?4) AND ${IS_FINISHED}
         AND (parent_id IS NULL OR NOT EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = run.parent_id))
       ORDER BY created_at, id LIMIT ?5`,
      [tenant, createdBeforeMs, after?.createdAtMs ?? 0, after?.id ?? "", limit],
    );
    return rows.map(({ id, name, status, created_at, updated_at }) => ({
      id,
      name,
      status,
      createdAtMs: created_at,
      updatedAtMs: updated_at,
    }));
  }

  async newestSince(tenant: string, count: number): Promise<number | undefined> {
    const [row] = await rowsOf<{ created_at: number }>(
      this.#db,
      `SELECT created_at FROM runs WHERE tenant = ?1 AND ${IS_FINISHED}
       ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?2`,
      [tenant, count - 1],
    );
    return row?.created_at;
  }

  async childrenOf(tenant: string, id: string, limit: number): Promise<readonly string[]> {
    const rows = await rowsOf<{ id: string }>(
      this.#db,
      "SELECT id FROM runs WHERE tenant = ?1 AND parent_id = ?2 LIMIT ?3",
      [tenant, id, limit],
    );
    return rows.map((row) => row.id);
  }
}
