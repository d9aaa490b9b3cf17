// Tombstones of deleted runs: their places in the order of changes. They keep the order monotonic and report deletions
// to readers of changes.
import type { BatchDatabase, Statement } from "../d1.ts";
import { NEXT_CHANGE } from "./run-row.ts";

/** Statements for removing a run from the index, in one transaction. */
export function forgetStatements(
  db: BatchDatabase,
  {
    tenant,
    id,
    atMs,
    onlyIf = "1",
  }: {
    readonly tenant: string;
    readonly id: string;
    readonly atMs: number;
    readonly onlyIf?: string;
  },
): Statement[] {
  const run = `runs.tenant = ?1 AND runs.id = ?2 AND ${onlyIf}`;
  return [
    db
      .prepare(
        `INSERT INTO run_tombstones (tenant, change, id, at) SELECT tenant, ${NEXT_CHANGE}, id, ?3 FROM runs WHERE ${run}`,
      )
      .bind(tenant, id, atMs),
    db
      .prepare(
        `DELETE FROM run_tags WHERE tenant = ?1 AND run_id = ?2 AND (tag, created_at) IN (
           SELECT tag.value, runs.created_at FROM runs, json_each(runs.tags) AS tag WHERE ${run})`,
      )
      .bind(tenant, id),
    db.prepare(`DELETE FROM runs WHERE ${run}`).bind(tenant, id),
  ];
}

/**
 * Statements for removing deletions before `?1`, in milliseconds since the epoch. The newest of them stays, without its
 * id: it marks the removed range and keeps the order monotonic.
 */
export const OLD_TOMBSTONES = [
  `UPDATE run_tombstones SET id = '' WHERE at < ?1 AND id <> '' AND NOT EXISTS (
     SELECT 1 FROM run_tombstones AS later WHERE later.tenant = run_tombstones.tenant AND later.change > run_tombstones.change AND later.at < ?1)`,
  `DELETE FROM run_tombstones WHERE at < ?1 AND EXISTS (
     SELECT 1 FROM run_tombstones AS later WHERE later.tenant = run_tombstones.tenant AND later.change > run_tombstones.change AND later.id = '')`,
];
