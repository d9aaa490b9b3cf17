import type { ChangeRange, RunChange, RunChanges } from "../../run-feed/run-changes.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";
import { SUMMARY_COLUMNS, toSummary, type RunRow } from "../runs/run-row.ts";

/** Changes of runs, from their rows in D1 and from the tombstones of deleted ones. */
export class D1RunChanges implements RunChanges {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  range(tenant: string): Promise<ChangeRange> {
    return onDatabase(async () => {
      const row = (await this.#db
        .prepare(
          `SELECT MAX(
               COALESCE((SELECT MAX(change) FROM runs WHERE tenant = ?1 AND change IS NOT NULL), 0),
               COALESCE((SELECT MAX(change) FROM run_tombstones WHERE tenant = ?1), 0)) AS newest,
             COALESCE((SELECT CASE WHEN id = '' THEN change END FROM run_tombstones WHERE tenant = ?1 ORDER BY change LIMIT 1), 0) AS forgotten`,
        )
        .bind(tenant)
        .first()) as ChangeRange;
      return { newest: row.newest, forgotten: row.forgotten };
    });
  }

  after(tenant: string, place: number, limit: number): Promise<readonly RunChange[]> {
    return onDatabase(async () => {
      // Reads in one transaction, so no change in between is missed.
      const [runs, tombstones] = await this.#db.batch([
        this.#db
          .prepare(
            `SELECT change, ${SUMMARY_COLUMNS.join(", ")} FROM runs INDEXED BY runs_by_change
             WHERE tenant = ?1 AND change IS NOT NULL AND change > ?2 ORDER BY change LIMIT ?3`,
          )
          .bind(tenant, place, limit),
        this.#db
          .prepare(
            `SELECT change, id FROM run_tombstones WHERE tenant = ?1 AND change > ?2 AND id <> '' ORDER BY change LIMIT ?3`,
          )
          .bind(tenant, place, limit),
      ]);
      const changed = (runs?.results ?? []) as (RunRow & { readonly change: number })[];
      const gone = (tombstones?.results ?? []) as {
        readonly change: number;
        readonly id: string;
      }[];
      return [
        ...changed.map((row): RunChange => ({ change: row.change, run: toSummary(row) })),
        ...gone.map(({ change, id }): RunChange => ({ change, gone: id })),
      ]
        .toSorted((a, b) => a.change - b.change)
        .slice(0, limit);
    });
  }
}
