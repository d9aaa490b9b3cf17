import { HttpError } from "../../parts/problem.ts";
import type {
  Firing,
  Schedule,
  ScheduleChange,
  ScheduleDefinition,
  ScheduleStore,
  Settlement,
} from "../../triggers/schedule-store.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";

type Row = {
  tenant: string;
  id: string;
  source: "code" | "stored";
  definition: string;
  paused: number;
  next_at: number | null;
  due_at: number | null;
  last_run: string | null;
  version: number;
  created_at: number;
  updated_at: number;
};

/** Maximum number of schedules of one tenant. */
const MAX_SCHEDULES = 10_000;
/** Number of stored firings of one schedule. */
const KEPT_FIRINGS = 50;
/** Number of statements in one batch. */
const BATCH = 100;

/** Schedules in D1. */
export class D1ScheduleStore implements ScheduleStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  get(tenant: string, id: string): Promise<Schedule | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare("SELECT * FROM schedules WHERE tenant = ? AND id = ?")
        .bind(tenant, id)
        .first();
      return row === null ? undefined : toSchedule(row as Row);
    });
  }

  list(
    tenant: string,
    { afterId = "", limit }: { readonly afterId?: string | undefined; readonly limit: number },
  ): Promise<readonly Schedule[]> {
    return this.#rows(
      this.#db
        .prepare("SELECT * FROM schedules WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?")
        .bind(tenant, afterId, limit),
    );
  }

  add(schedule: Schedule): Promise<boolean> {
    const { tenant, id, source, definition, paused, nextAtMs, dueAtMs, lastRunId } = schedule;
    return onDatabase(async () => {
      const added = await this.#db
        .prepare(
          `INSERT INTO schedules (tenant, id, source, definition, paused, next_at, due_at, last_run, version, created_at, updated_at)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 WHERE (SELECT COUNT(*) FROM schedules WHERE tenant = ?1) < ?12
           ON CONFLICT DO NOTHING`,
        )
        .bind(
          tenant,
          id,
          source,
          JSON.stringify(definition),
          Number(paused),
          nextAtMs,
          dueAtMs,
          lastRunId,
          schedule.version,
          schedule.createdAtMs,
          schedule.updatedAtMs,
          MAX_SCHEDULES,
        )
        .run();
      if (added.meta.changes > 0) return true;
      if ((await this.get(tenant, id)) !== undefined) return false;
      throw new HttpError(
        "limit_exceeded",
        `a tenant may have at most ${MAX_SCHEDULES} schedules; delete some first`,
        { status: 409 },
      );
    });
  }

  change(
    { tenant, id, version }: Schedule,
    { definition, paused, updatedAtMs, nextAtMs }: ScheduleChange,
  ): Promise<boolean> {
    const timing = nextAtMs === undefined ? "" : ", next_at = ?7, due_at = ?7";
    const statement = this.#db
      .prepare(
        `UPDATE schedules SET definition = ?4, paused = ?5, updated_at = ?6, version = version + 1${timing}
         WHERE tenant = ?1 AND id = ?2 AND version = ?3`,
      )
      .bind(
        tenant,
        id,
        version,
        JSON.stringify(definition),
        Number(paused),
        updatedAtMs,
        ...(nextAtMs === undefined ? [] : [nextAtMs]),
      );
    return onDatabase(async () => (await statement.run()).meta.changes > 0);
  }

  delete(tenant: string, id: string): Promise<boolean> {
    return onDatabase(async () => {
      const [schedule] = await this.#db.batch([
        this.#db.prepare("DELETE FROM schedules WHERE tenant = ? AND id = ?").bind(tenant, id),
        this.#db
          .prepare("DELETE FROM schedule_firings WHERE tenant = ? AND schedule = ?")
          .bind(tenant, id),
      ]);
      return (schedule?.meta.changes ?? 0) > 0;
    });
  }

  ofCode(): Promise<readonly Schedule[]> {
    return this.#rows(
      this.#db.prepare("SELECT * FROM schedules WHERE source = 'code' LIMIT ?").bind(MAX_SCHEDULES),
    );
  }

  /**
   * Claims rows in one statement, which the database runs for one caller at a time, so two callers never get the same
   * rows.
   */
  claim({
    nowMs,
    untilMs,
    limit,
  }: Parameters<ScheduleStore["claim"]>[0]): Promise<readonly Schedule[]> {
    return this.#rows(
      this.#db
        .prepare(
          `UPDATE schedules SET due_at = ?1 WHERE (tenant, id) IN
             (SELECT tenant, id FROM schedules WHERE due_at <= ?2 ORDER BY due_at LIMIT ?3) RETURNING *`,
        )
        .bind(untilMs, nowMs, limit),
    );
  }

  settle(settlements: readonly Settlement[]): Promise<void> {
    return this.#batches(
      settlements.flatMap(({ schedule, nextAtMs, dueAtMs, firings }) => {
        const { tenant, id } = schedule;
        const lastRun = firings.findLast(({ outcome }) => outcome === "started")?.runId ?? null;
        const put = this.#db
          .prepare(
            `UPDATE schedules SET last_run = COALESCE(?4, last_run),
               next_at = CASE WHEN due_at = ?3 THEN ?5 ELSE next_at END, due_at = CASE WHEN due_at = ?3 THEN ?6 ELSE due_at END
             WHERE tenant = ?1 AND id = ?2`,
          )
          .bind(tenant, id, schedule.dueAtMs, lastRun, nextAtMs, dueAtMs);
        return [put, ...this.#recording(tenant, id, firings)];
      }),
    );
  }

  record(tenant: string, id: string, firing: Firing): Promise<void> {
    return this.#batches(this.#recording(tenant, id, [firing]));
  }

  firings(tenant: string, id: string, limit: number): Promise<readonly Firing[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          "SELECT firing FROM schedule_firings WHERE tenant = ? AND schedule = ? ORDER BY at DESC, key DESC LIMIT ?",
        )
        .bind(tenant, id, limit)
        .all();
      return results.map((row) => JSON.parse((row as { firing: string }).firing) as Firing);
    });
  }

  #rows(statement: Statement): Promise<readonly Schedule[]> {
    return onDatabase(async () =>
      (await statement.all()).results.map((row) => toSchedule(row as Row)),
    );
  }

  #recording(tenant: string, id: string, firings: readonly Firing[]): readonly Statement[] {
    if (firings.length === 0) return [];
    const added = firings.map((firing) =>
      this.#db
        .prepare(
          `INSERT INTO schedule_firings (tenant, schedule, key, at, firing)
           SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM schedules WHERE tenant = ?1 AND id = ?2)
           ON CONFLICT DO NOTHING`,
        )
        .bind(tenant, id, keyOf(firing), firing.atMs, JSON.stringify(firing)),
    );
    const forgotten = this.#db
      .prepare(
        `DELETE FROM schedule_firings WHERE tenant = ?1 AND schedule = ?2 AND (at, key) <
           (SELECT at, key FROM schedule_firings WHERE tenant = ?1 AND schedule = ?2 ORDER BY at DESC, key DESC LIMIT 1 OFFSET ?3)`,
      )
      .bind(tenant, id, KEPT_FIRINGS - 1);
    return [...added, forgotten];
  }

  #batches(statements: readonly Statement[]): Promise<void> {
    return onDatabase(async () => {
      for (let start = 0; start < statements.length; start += BATCH)
        await this.#db.batch(statements.slice(start, start + BATCH));
    });
  }
}

/** Returns a key with the same order as the slots. */
function keyOf({ slotMs, outcome, runId }: Firing): string {
  if (slotMs === null) return `by hand ${runId ?? ""}`;
  return `${new Date(slotMs).toISOString()}${outcome === "missed" ? " missed" : ""}`;
}

function toSchedule(row: Row): Schedule {
  return {
    tenant: row.tenant,
    id: row.id,
    source: row.source,
    definition: JSON.parse(row.definition) as ScheduleDefinition,
    paused: row.paused !== 0,
    nextAtMs: row.next_at,
    dueAtMs: row.due_at,
    lastRunId: row.last_run,
    version: row.version,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
