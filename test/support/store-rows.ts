import type { BatchDatabase } from "../../src/cloudflare/d1.ts";

/** Writes so many schedules of a tenant, all due at 100, in one statement. */
export async function fillSchedules(
  database: BatchDatabase,
  tenant: string,
  count: number,
): Promise<void> {
  await database
    .prepare(
      `INSERT INTO schedules (tenant, id, source, definition, paused, next_at, due_at, last_run, version, created_at, updated_at)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       SELECT ?1, 's' || n, 'stored', '{}', 0, 100, 100, NULL, 1, 1, 1 FROM numbers`,
    )
    .bind(tenant, count)
    .run();
}

/** Writes so many webhooks of a tenant, in one statement. */
export async function fillHooks(
  database: BatchDatabase,
  tenant: string,
  count: number,
): Promise<void> {
  await database
    .prepare(
      `INSERT INTO hooks (tenant, name, definition, secret, created_at, updated_at)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       SELECT ?1, 'h' || n, '{}', 'sealed', 1, 1 FROM numbers`,
    )
    .bind(tenant, count)
    .run();
}
