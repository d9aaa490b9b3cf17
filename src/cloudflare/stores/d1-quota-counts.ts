import type { QuotaName, Quotas } from "../../quotas/quota-options.ts";
import type { QuotaCounts } from "../../quotas/tenant-quotas.ts";
import { onDatabase, type Database } from "../d1.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Counts the rows of a table, at most ?2, which is one more than needed. */
const rowsOf = (table: string): string =>
  `SELECT COUNT(*) AS used FROM (SELECT 1 FROM ${table} WHERE tenant = ?1 LIMIT ?2)`;

/** Sums the consumption since day ?2. */
const consumed = (sum: string): string =>
  `SELECT COALESCE(SUM(${sum}), 0) AS used FROM usage_days WHERE tenant = ?1 AND day >= ?2`;
const TOKENS = consumed("prompt_tokens + completion_tokens");
const COST = consumed("cost");

const QUERIES: Readonly<Record<Exclude<QuotaName, "requestsPerMinute">, string>> = {
  // Active runs, runs waiting for an answer, and held runs, each by an index of open runs alone.
  openRuns: `SELECT COUNT(*) AS used FROM (
    SELECT id FROM runs WHERE lease_until IS NOT NULL AND tenant = ?1
    UNION SELECT run_id FROM waits WHERE tenant = ?1
    UNION SELECT id FROM runs WHERE tenant = ?1 AND held_version IS NOT NULL) WHERE ?2 > 0`,
  runsPerDay:
    "SELECT COALESCE(SUM(started), 0) AS used FROM run_hours WHERE tenant = ?1 AND hour >= ?2 * 24",
  costUsdPerDay: COST,
  costUsdPerMonth: COST,
  tokensPerDay: TOKENS,
  tokensPerMonth: TOKENS,
  memoryRecords: rowsOf("memories"),
  knowledgeChunks: rowsOf("knowledge_chunks"),
  fileBytes:
    "SELECT COALESCE(SUM(bytes), 0) AS used FROM stored_files WHERE tenant = ?1 AND ?2 > 0",
  definitions: rowsOf("definitions"),
  schedules: rowsOf("schedules"),
};

const BEGINS_AGAIN = /Per(Day|Month)$/;

/** Quotas and consumption of tenants, in D1. */
export class D1QuotaCounts implements QuotaCounts {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  quotas(tenant: string): Promise<Quotas | undefined> {
    return onDatabase(async () => {
      const row = (await this.#db
        .prepare("SELECT quotas FROM tenants WHERE tenant = ?")
        .bind(tenant)
        .first()) as { quotas: string } | null;
      if (row === null) return undefined;
      const limits = Object.entries(JSON.parse(row.quotas) as Record<string, number | null>);
      return Object.fromEntries(limits.map(([name, limit]) => [name, limit ?? Infinity]));
    });
  }

  setQuotas(tenant: string, quotas: Quotas, nowMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          "INSERT INTO tenants (tenant, quotas, updated_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET quotas = excluded.quotas, updated_at = excluded.updated_at",
        )
        .bind(tenant, JSON.stringify(quotas), nowMs)
        .run();
    });
  }

  used(
    tenant: string,
    quota: QuotaName,
    { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
  ): Promise<number> {
    if (quota === "requestsPerMinute") return Promise.resolve(0);
    const most = Math.min(limit, Number.MAX_SAFE_INTEGER - 1) + 1;
    const bound = BEGINS_AGAIN.test(quota) ? Math.floor(sinceMs / DAY_MS) : most;
    return onDatabase(async () => {
      const row = (await this.#db.prepare(QUERIES[quota]).bind(tenant, bound).first()) as {
        used: number;
      } | null;
      return row?.used ?? 0;
    });
  }
}
