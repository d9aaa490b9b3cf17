import {
  dataOf,
  type Objection,
  type PendingWork,
  type StoredTask,
  type TaskData,
  type TaskStore,
} from "../../protocols/acp/store.ts";
import type { TaskState } from "../../protocols/acp/task.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";

type Row = {
  tenant: string;
  id: string;
  session: string | null;
  state: StoredTask["state"];
  run_id: string;
  digest: string;
  pending: PendingWork | null;
  due_at: number | null;
  version: number;
  created_at: number;
  data: string;
};

/** Time for the request that activated a task to start its run, in milliseconds. Then the sweeper starts it. */
const GRACE_MS = 60_000;

/** Tasks of the agent protocol in D1. */
export class D1AcpTasks implements TaskStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  add(
    task: Omit<StoredTask, "state" | "version">,
    { contextIds, maxQueued }: Parameters<TaskStore["add"]>[1],
  ): Promise<StoredTask | Objection> {
    const { tenant, id, session = null, runId, createdAtMs } = task;
    const ids = JSON.stringify(contextIds);
    const ours = "EXISTS (SELECT 1 FROM acp_tasks WHERE tenant = ?1 AND id = ?2 AND run_id = ?3)";
    return onDatabase(async () => {
      const [added] = await this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO acp_tasks (tenant, id, session, state, run_id, digest, pending, due_at, version, created_at, data)
             SELECT ?1, ?2, ?3, CASE WHEN waiting THEN 'queued' ELSE 'active' END, ?4, ?5,
               CASE WHEN waiting THEN NULL ELSE ?6 END, CASE WHEN waiting THEN NULL ELSE ?7 END, 1, ?8, ?9
             FROM (SELECT EXISTS (SELECT 1 FROM acp_tasks WHERE tenant = ?1 AND session = ?3 AND state <> 'ended') AS waiting)
             WHERE (?3 IS NULL OR (EXISTS (SELECT 1 FROM acp_sessions WHERE tenant = ?1 AND id = ?3 AND closed = 0)
                 AND (SELECT COUNT(*) FROM acp_tasks WHERE tenant = ?1 AND session = ?3 AND state = 'queued') < ?10))
               AND (SELECT COUNT(*) FROM acp_contexts WHERE tenant = ?1 AND seq IN (SELECT value FROM json_each(?11))) = json_array_length(?11)
             ON CONFLICT (tenant, id) DO NOTHING RETURNING *`,
          )
          .bind(
            tenant,
            id,
            session,
            runId,
            task.digest,
            task.pending ?? null,
            task.dueAtMs ?? null,
            createdAtMs,
            JSON.stringify(dataOf(task)),
            maxQueued,
            ids,
          ),
        this.#db
          .prepare(
            `DELETE FROM acp_contexts WHERE tenant = ?1 AND seq IN (SELECT value FROM json_each(?4)) AND ${ours}`,
          )
          .bind(tenant, id, runId, ids),
        this.#db
          .prepare(
            `UPDATE acp_sessions SET last_active = ?5 WHERE tenant = ?1 AND id = ?4 AND ${ours}`,
          )
          .bind(tenant, id, runId, session, createdAtMs),
        // The sweeper checks a task that blocks others.
        this.#db
          .prepare(
            `UPDATE acp_tasks SET due_at = COALESCE(due_at, ?5), version = version + 1
             WHERE tenant = ?1 AND session = ?4 AND state = 'active' AND id <> ?2 AND ${ours}`,
          )
          .bind(tenant, id, runId, session, createdAtMs + GRACE_MS),
      ]);
      const [row] = added?.results ?? [];
      return row === undefined ? this.#objection(task, maxQueued) : toTask(row as Row);
    });
  }

  async #objection(
    { tenant, id, session }: Pick<StoredTask, "tenant" | "id" | "session">,
    maxQueued: number,
  ): Promise<Objection> {
    if ((await this.get(tenant, id)) !== undefined) return "exists";
    if (session === undefined) return "contexts_taken";
    const found = (await this.#db
      .prepare("SELECT closed FROM acp_sessions WHERE tenant = ? AND id = ?")
      .bind(tenant, session)
      .first()) as { closed: number } | null;
    if (found === null) return "session_not_found";
    if (found.closed === 1) return "session_closed";
    return (await this.queued(tenant, session)) >= maxQueued ? "queue_full" : "contexts_taken";
  }

  get(tenant: string, id: string): Promise<StoredTask | undefined> {
    return this.#one(
      this.#db.prepare("SELECT * FROM acp_tasks WHERE tenant = ? AND id = ?").bind(tenant, id),
    );
  }

  change(task: StoredTask): Promise<boolean> {
    return onDatabase(async () => (await this.#written(task).run()).meta.changes > 0);
  }

  end(task: StoredTask, nowMs: number): Promise<{ changed: boolean; next?: StoredTask }> {
    const { session } = task;
    return onDatabase(async () => {
      const [done, promoted] = await this.#db.batch([
        this.#written(task, nowMs),
        ...(session === undefined ? [] : [this.#promotion(task.tenant, session, nowMs)]),
      ]);
      const [row] = promoted?.results ?? [];
      return {
        changed: (done?.meta.changes ?? 0) > 0,
        ...(row === undefined ? undefined : { next: toTask(row as Row) }),
      };
    });
  }

  promote(tenant: string, session: string, nowMs: number): Promise<StoredTask | undefined> {
    return onDatabase(async () => {
      const { results } = await this.#promotion(tenant, session, nowMs).all();
      const [row] = results;
      return row === undefined ? undefined : toTask(row as Row);
    });
  }

  active(tenant: string, session: string): Promise<StoredTask | undefined> {
    return this.#one(
      this.#db
        .prepare("SELECT * FROM acp_tasks WHERE tenant = ? AND session = ? AND state = 'active'")
        .bind(tenant, session),
    );
  }

  queued(tenant: string, session: string, upTo?: string): Promise<number> {
    return onDatabase(async () => {
      const row = (await this.#db
        .prepare(
          `SELECT COUNT(*) AS count FROM acp_tasks WHERE tenant = ?1 AND session = ?2 AND state = 'queued'
             AND (?3 IS NULL OR seq <= (SELECT seq FROM acp_tasks WHERE tenant = ?1 AND id = ?3))`,
        )
        .bind(tenant, session, upTo ?? null)
        .first()) as { count: number };
      return row.count;
    });
  }

  dropQueue(tenant: string, session: string, state: TaskState): Promise<number> {
    const statement = this.#db
      .prepare(
        `UPDATE acp_tasks SET state = 'ended', version = version + 1, ended_at = ?3, due_at = NULL,
           data = json_insert(data, '$.history[#]', json(?4))
         WHERE tenant = ?1 AND session = ?2 AND state = 'queued'`,
      )
      .bind(tenant, session, state.timestamp, JSON.stringify(state));
    return onDatabase(async () => (await statement.run()).meta.changes);
  }

  ofSession(
    tenant: string,
    session: string,
    { limit, ended = false }: { readonly limit: number; readonly ended?: boolean },
  ): Promise<readonly StoredTask[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT * FROM acp_tasks WHERE tenant = ? AND session = ?${ended ? " AND state = 'ended'" : ""} ORDER BY seq DESC LIMIT ?`,
        )
        .bind(tenant, session, limit)
        .all();
      return results.map((row) => toTask(row as Row)).toReversed();
    });
  }

  /** Claims rows in one statement, so two callers never get the same rows. */
  claim({
    nowMs,
    untilMs,
    limit,
  }: Parameters<TaskStore["claim"]>[0]): Promise<readonly StoredTask[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `UPDATE acp_tasks SET due_at = ?1 WHERE seq IN
             (SELECT seq FROM acp_tasks WHERE due_at <= ?2 ORDER BY due_at LIMIT ?3) RETURNING *`,
        )
        .bind(untilMs, nowMs, limit)
        .all();
      return results.map((row) => toTask(row as Row));
    });
  }

  prune(beforeMs: number, limit: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          `DELETE FROM acp_tasks WHERE seq IN
             (SELECT seq FROM acp_tasks WHERE ended_at < ? AND pending IS NULL ORDER BY ended_at LIMIT ?)`,
        )
        .bind(beforeMs, limit)
        .run();
    });
  }

  #written(task: StoredTask, endedAtMs: number | null = null): Statement {
    const { tenant, id, version, state, runId, pending = null, dueAtMs = null } = task;
    return this.#db
      .prepare(
        `UPDATE acp_tasks SET version = version + 1, state = ?4, run_id = ?5, pending = ?6, due_at = ?7, data = ?8,
           ended_at = COALESCE(ended_at, ?9) WHERE tenant = ?1 AND id = ?2 AND version = ?3`,
      )
      .bind(
        tenant,
        id,
        version,
        state,
        runId,
        pending,
        dueAtMs,
        JSON.stringify(dataOf(task)),
        endedAtMs,
      );
  }

  #promotion(tenant: string, session: string, nowMs: number): Statement {
    return this.#db
      .prepare(
        `UPDATE acp_tasks SET state = 'active', pending = 'launch', due_at = ?3, version = version + 1
         WHERE seq = (SELECT MIN(seq) FROM acp_tasks WHERE tenant = ?1 AND session = ?2 AND state = 'queued')
           AND NOT EXISTS (SELECT 1 FROM acp_tasks WHERE tenant = ?1 AND session = ?2 AND state = 'active') RETURNING *`,
      )
      .bind(tenant, session, nowMs + GRACE_MS);
  }

  #one(statement: Statement): Promise<StoredTask | undefined> {
    return onDatabase(async () => {
      const row = await statement.first();
      return row === null ? undefined : toTask(row as Row);
    });
  }
}

function toTask(row: Row): StoredTask {
  const { session, pending, due_at: dueAtMs } = row;
  return {
    ...(JSON.parse(row.data) as TaskData),
    tenant: row.tenant,
    id: row.id,
    ...(session === null ? undefined : { session }),
    state: row.state,
    runId: row.run_id,
    digest: row.digest,
    ...(pending === null ? undefined : { pending }),
    ...(dueAtMs === null ? undefined : { dueAtMs }),
    version: row.version,
    createdAtMs: row.created_at,
  };
}
