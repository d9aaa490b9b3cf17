// Rows of an index with many runs, straight into its table.
import type { BatchDatabase } from "../../src/cloudflare/d1.ts";

const KINDS = ["crew", "flow", "agent", "batch"] as const;
const STATUSES = ["completed", "failed", "cancelled", "queued", "running", "waiting"] as const;
const TRIGGERS = [
  null,
  "schedule:digest",
  "schedule:weekly",
  "hook:orders",
  "queue:tasks",
] as const;

/** A run as the table has it, as far as filters look at it. */
export type StoredRun = {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly createdAtMs: number;
  readonly tags: readonly string[];
  readonly startedBy: string | null;
  readonly parent: string | null;
  readonly origin: string | null;
  readonly error: string | null;
  readonly waits: number;
  readonly cost: number;
  readonly tookMs: number | null;
};

/** So many runs, of which some share a moment. The same each time. */
export function manyRuns(count: number): readonly StoredRun[] {
  let seed = 7;
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  const runs: StoredRun[] = [];
  for (let n = 0; n < count; n++) {
    const status = STATUSES[below(100) < 97 ? below(3) : 3 + below(3)] ?? "completed";
    const isOpen = ["queued", "running", "waiting"].includes(status);
    const isChild = below(10) === 0;
    runs.push({
      id: `run-${n.toString(36).padStart(4, "0")}`,
      kind: KINDS[below(KINDS.length)] ?? "crew",
      name: `crew-${below(5)}`,
      status,
      createdAtMs: 1_700_000_000_000 + Math.floor(n / 3) * 1000,
      tags: ["all", "even", "rare"].filter((_, at) => [true, n % 2 === 0, n % 997 === 0][at]),
      startedBy: isChild ? null : (TRIGGERS[below(TRIGGERS.length)] ?? null),
      parent: isChild ? `run-${below(20).toString(36).padStart(4, "0")}` : null,
      origin: below(200) === 0 ? "run-0007" : null,
      error: status === "failed" ? (below(2) === 0 ? "model_failed" : "timeout") : null,
      waits: status === "waiting" ? below(2) : 0,
      cost: below(100) / 100,
      tookMs: isOpen ? null : below(60_000),
    });
  }
  return runs;
}

/** Writes them for a tenant. */
export async function storeRuns(
  database: BatchDatabase,
  tenant: string,
  runs: readonly StoredRun[],
): Promise<void> {
  const PAGE = 2_000;
  for (let at = 0; at < runs.length; at += PAGE) {
    const page = JSON.stringify(runs.slice(at, at + PAGE));
    await database.batch([
      database
        .prepare(
          `INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version, tags, started_by, parent_id, parent_key,
             origin_id, error_code, error, waits, cost, tokens, requests, started_at, finished_at, change)
           SELECT ?1, value ->> 'id', value ->> 'kind', value ->> 'name', value ->> 'status', value ->> 'createdAtMs',
             value ->> 'createdAtMs', 1, value ->> 'tags', value ->> 'startedBy', value ->> 'parent', value ->> 'parent',
             value ->> 'origin', value ->> 'error', value ->> 'error', value ->> 'waits', value ->> 'cost', 1, 1,
             value ->> 'createdAtMs', (value ->> 'createdAtMs') + (value ->> 'tookMs'), ?3 + key FROM json_each(?2)`,
        )
        .bind(tenant, page, at + 1),
      database
        .prepare(
          `INSERT INTO run_tags (tenant, tag, created_at, run_id)
           SELECT ?1, tag.value, run.value ->> 'createdAtMs', run.value ->> 'id' FROM json_each(?2) AS run, json_each(run.value, '$.tags') AS tag`,
        )
        .bind(tenant, page),
    ]);
  }
}
