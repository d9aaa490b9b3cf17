// Owner of a tenant's vector index, as statements of D1.
import { ADOPTION_HOLDS_MS } from "../../memory/adopt-index.ts";
import type { IndexState } from "../../memory/memory-records.ts";
import { onDatabase, type Database } from "../d1.ts";
import type { Sql } from "./memory-conditions.ts";

/** Maximum number of tenants whose index the cron makes again at once. */
const MAX_TENANTS = 20;

export class MemoryIndexSql {
  readonly #tenant: string;

  constructor(tenant: string) {
    this.#tenant = tenant;
  }

  /** Marks records as indexed, unless the index belongs to other vectors. */
  indexed(ids: readonly string[], version: number, made: string | undefined): Sql {
    const tenant = this.#tenant;
    return {
      text: `UPDATE memories SET indexed = 1 WHERE tenant = ? AND version = ? AND id IN (SELECT value FROM json_each(?))
        AND NOT EXISTS (SELECT 1 FROM memory_index i WHERE i.tenant = ? AND i.made <> ?)`,
      // Without a name, no row has another one.
      values: [tenant, version, JSON.stringify(ids), made === undefined ? "" : tenant, made ?? ""],
    };
  }

  /** Gives the index to other vectors; the last statement reads its owner. */
  adopt(made: string, atMs: number): readonly Sql[] {
    const tenant = this.#tenant;
    const isFree = "tenant = ? AND made <> ? AND since <= ?";
    const free = [tenant, made, atMs - ADOPTION_HOLDS_MS];
    return [
      {
        text: "INSERT OR IGNORE INTO memory_index (tenant, made, since, pending) VALUES (?, '', ?, 0)",
        values: [tenant, atMs - ADOPTION_HOLDS_MS],
      },
      {
        text: `UPDATE memories SET indexed = 0 WHERE tenant = ? AND indexed = 1 AND EXISTS (SELECT 1 FROM memory_index WHERE ${isFree})`,
        values: [tenant, ...free],
      },
      {
        text: `UPDATE memory_index SET made = ?, since = ?, pending = 1 WHERE ${isFree}`,
        values: [made, atMs, ...free],
      },
      { text: "SELECT made FROM memory_index WHERE tenant = ?", values: [tenant] },
    ];
  }

  settle(): Sql {
    return { text: "UPDATE memory_index SET pending = 0 WHERE tenant = ?", values: [this.#tenant] };
  }

  release(): Sql {
    return { text: "DELETE FROM memory_index WHERE tenant = ?", values: [this.#tenant] };
  }

  state(): readonly Sql[] {
    const values = [this.#tenant];
    return [
      { text: "SELECT count(*) AS n FROM memories WHERE tenant = ?", values },
      { text: "SELECT count(*) AS n FROM memories WHERE tenant = ? AND indexed = 0", values },
      { text: "SELECT made, pending FROM memory_index WHERE tenant = ?", values },
    ];
  }
}

export function indexStateOf(rows: ReadonlyArray<readonly unknown[]>): IndexState {
  const count = (place: number): number => (rows[place]?.[0] as { n: number } | undefined)?.n ?? 0;
  const owner = rows[2]?.[0] as { made: string; pending: number } | undefined;
  return {
    records: count(0),
    missing: count(1),
    ...(owner === undefined || owner.made === "" ? undefined : { made: owner.made }),
    isPending: owner?.pending === 1,
  };
}

/** Returns tenants whose index is being made for another embedder, the longest pending first. */
export async function pendingIndexes(
  db: Database,
  limit = MAX_TENANTS,
): Promise<readonly string[]> {
  const { results } = await onDatabase(() =>
    db
      .prepare("SELECT tenant FROM memory_index WHERE pending = 1 ORDER BY since LIMIT ?")
      .bind(limit)
      .all(),
  );
  return (results as unknown as readonly { tenant: string }[]).map(({ tenant }) => tenant);
}
