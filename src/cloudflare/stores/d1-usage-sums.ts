// Sums over runs in D1, updated by statements in the transaction that enters a run in the index.
//
//   SUM1. A run counts once, even with repeated or late reports: its row in the index before the report shows which
//         parts were counted.
//   SUM2. When a run waits or ends, the increase of its consumption is added.
import { isoTime } from "../../base/clock.ts";
import type { IndexStatement } from "../../parts/part.ts";
import { isTerminal, type RunIndexRow, type RunKind } from "../../runtime/run.ts";
import type { RunSum, UsageSum, UsageSums } from "../../usage/usage-sums.ts";
import { rowsOf, type Database } from "../d1.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const IS_NEW = "NOT EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?2 AND version >= ?3)";

/** Statements for adding a run's report to the sums. */
export function sumStatements(row: RunIndexRow): readonly IndexStatement[] {
  const { tenant, id, version, kind, name, status, createdAtMs, sums } = row;
  if (version === 0) return []; // announced, but not started yet
  const run = [tenant, id, version];
  const begun: IndexStatement = {
    sql: `INSERT INTO run_hours (tenant, hour, kind, name, started, completed, failed, cancelled, run_ms)
      SELECT ?1, ?4, ?5, ?6, 1, 0, 0, 0, 0
      WHERE NOT EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?2 AND (version >= ?3 OR version > 0))
      ON CONFLICT DO UPDATE SET started = started + 1`,
    values: [...run, Math.floor(createdAtMs / HOUR_MS), kind, name],
  };
  if (sums === undefined) return [begun];
  const { spent, startedAtMs, finishedAtMs } = sums;
  const atMs = finishedAtMs ?? row.updatedAtMs;
  const consumed: IndexStatement = {
    sql: `INSERT INTO usage_days (tenant, day, kind, name, model, requests, prompt_tokens, completion_tokens, cost)
      SELECT ?1, ?4, ?5, ?6, model, requests, prompt_tokens, completion_tokens, cost FROM (
        SELECT new.value ->> 'model' AS model,
          (new.value ->> 'requests') - COALESCE(old.value ->> 'requests', 0) AS requests,
          (new.value ->> 'promptTokens') - COALESCE(old.value ->> 'promptTokens', 0) AS prompt_tokens,
          (new.value ->> 'completionTokens') - COALESCE(old.value ->> 'completionTokens', 0) AS completion_tokens,
          (new.value ->> 'costUsd') - COALESCE(old.value ->> 'costUsd', 0) AS cost
        FROM json_each(?7) AS new
        LEFT JOIN (SELECT value FROM json_each(COALESCE((SELECT usage FROM runs WHERE tenant = ?1 AND id = ?2), '[]'))) AS old
          ON old.value ->> 'model' = new.value ->> 'model')
      WHERE (requests <> 0 OR prompt_tokens <> 0 OR completion_tokens <> 0 OR cost <> 0) AND ${IS_NEW}
      ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, prompt_tokens = prompt_tokens + excluded.prompt_tokens,
        completion_tokens = completion_tokens + excluded.completion_tokens, cost = cost + excluded.cost`,
    values: [...run, Math.floor(atMs / DAY_MS), kind, name, JSON.stringify(spent)],
  };
  const both = spent.length === 0 ? [begun] : [begun, consumed];
  if (!isTerminal(status)) return both;
  const counts = ["completed", "failed", "cancelled"].map((each) => (each === status ? 1 : 0));
  const ended: IndexStatement = {
    sql: `INSERT INTO run_hours (tenant, hour, kind, name, started, completed, failed, cancelled, run_ms)
      SELECT ?1, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10
      WHERE NOT EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?2
        AND (version >= ?3 OR status IN ('completed', 'failed', 'cancelled')))
      ON CONFLICT DO UPDATE SET completed = completed + excluded.completed, failed = failed + excluded.failed,
        cancelled = cancelled + excluded.cancelled, run_ms = run_ms + excluded.run_ms`,
    values: [
      ...run,
      Math.floor(atMs / HOUR_MS),
      kind,
      name,
      ...counts,
      Math.max(0, atMs - startedAtMs),
    ],
  };
  return [...both, ended];
}

type RunRow = Omit<RunSum, "at" | "kind" | "runMs"> & {
  at: number;
  kind?: RunKind;
  run_ms: number;
};
type UsageRow = {
  at: number;
  group: string;
  kind?: RunKind;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number;
};

const GROUP = { name: "name, kind", kind: "kind", model: "model" } as const;
const RUN_SUMS =
  "SUM(started) AS started, SUM(completed) AS completed, SUM(failed) AS failed, SUM(cancelled) AS cancelled, SUM(run_ms) AS run_ms";

/** Sums over runs in D1. */
export class D1UsageSums implements UsageSums {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async runs(query: Parameters<UsageSums["runs"]>[0]): Promise<readonly RunSum[]> {
    const { tenant, fromMs, toMs, by, group, limit } = query;
    const which = selected(query);
    const at = by === "hour" ? "hour" : "hour / 24";
    const columns = group === "status" ? "" : `${GROUP[group]}, `;
    const rows = await rowsOf<RunRow & { name?: string }>(
      this.#db,
      `SELECT ${at} AS at, ${columns}${RUN_SUMS} FROM run_hours WHERE tenant = ? AND hour >= ? AND hour < ?${which.sql}
       GROUP BY ${columns}${at} ORDER BY at${group === "status" ? "" : `, ${GROUP[group]}`} LIMIT ?`,
      [tenant, Math.floor(fromMs / HOUR_MS), Math.ceil(toMs / HOUR_MS), ...which.values, limit],
    );
    const sums = rows.map(({ at: unit, name, kind, run_ms: runMs, ...counts }): RunSum => ({
      at: isoTime(unit * (by === "hour" ? HOUR_MS : DAY_MS)),
      group: (group === "name" ? name : kind) ?? "",
      ...(group === "name" && kind !== undefined ? { kind } : undefined),
      ...pick(counts),
      runMs,
    }));
    return group === "status" ? sums.flatMap(byStatus) : sums;
  }

  async usage(query: Parameters<UsageSums["usage"]>[0]): Promise<readonly UsageSum[]> {
    const { tenant, fromMs, toMs, by, group, limit } = query;
    const which = selected(query);
    const at =
      by === "day" ? "day" : "unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400";
    const rows = await rowsOf<UsageRow & { name?: string; model?: string }>(
      this.#db,
      `SELECT ${at} AS at, ${GROUP[group]}, SUM(requests) AS requests, SUM(prompt_tokens) AS prompt_tokens,
         SUM(completion_tokens) AS completion_tokens, SUM(cost) AS cost
       FROM usage_days WHERE tenant = ? AND day >= ? AND day < ?${which.sql} GROUP BY 1, ${GROUP[group]} ORDER BY 1, ${GROUP[group]} LIMIT ?`,
      [tenant, Math.floor(fromMs / DAY_MS), Math.ceil(toMs / DAY_MS), ...which.values, limit],
    );
    return rows.map((row) => ({
      at: isoTime(row.at * DAY_MS),
      group: (group === "name" ? row.name : group === "model" ? row.model : row.kind) ?? "",
      ...(group === "name" && row.kind !== undefined ? { kind: row.kind } : undefined),
      requests: row.requests,
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      totalTokens: row.prompt_tokens + row.completion_tokens,
      costUsd: row.cost,
    }));
  }
}

/** Returns the condition for runs of one kind and name. */
function selected({ kind, name }: Pick<Parameters<UsageSums["runs"]>[0], "kind" | "name">): {
  readonly sql: string;
  readonly values: readonly string[];
} {
  const wanted = Object.entries({ kind, name }).filter(([, value]) => value !== undefined);
  return {
    sql: wanted.map(([column]) => ` AND ${column} = ?`).join(""),
    values: wanted.map(([, value]) => value as string),
  };
}

type Counts = Pick<RunSum, "started" | "completed" | "failed" | "cancelled">;
const NONE: Counts = { started: 0, completed: 0, failed: 0, cancelled: 0 };

function pick({ started, completed, failed, cancelled }: Counts): Counts {
  return { started, completed, failed, cancelled };
}

/** Returns one sum for each status with runs. The sum of completed runs has the run time. */
function byStatus({ at, runMs, ...sum }: RunSum): readonly RunSum[] {
  return (["started", "completed", "failed", "cancelled"] as const)
    .filter((status) => sum[status] > 0)
    .map((status) => ({
      at,
      group: status,
      ...NONE,
      [status]: sum[status],
      runMs: status === "completed" ? runMs : 0,
    }));
}
