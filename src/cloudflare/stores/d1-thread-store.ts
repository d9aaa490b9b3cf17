import type { JsonObject } from "../../base/json.ts";
import {
  OF_THREADS,
  type ThreadMessage,
  type ThreadRef,
  type ThreadRun,
  type ThreadRunQuery,
  type ThreadRunRow,
  type ThreadStore,
} from "../../protocols/thread-store.ts";
import type { RunStatus } from "../../runtime/run.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";

type RunRow = {
  run_id: string;
  protocol: string;
  thread_id: string;
  kind: string;
  name: string;
  created_at: number;
  data: string;
};
type ListRow = RunRow & { status: string; updated_at: number; asking: number };
type MessageRow = {
  message_id: string;
  run_id: string;
  role: string;
  content: string;
  data: string | null;
  created_at: number;
};

const RUN = "t.run_id, t.protocol, t.thread_id, t.kind, t.name, t.created_at, t.data";
const ASKING = "EXISTS (SELECT 1 FROM waits w WHERE w.tenant = t.tenant AND w.run_id = t.run_id)";

/** The runs of a row of a thread itself. */
const RUN_OF_THREAD = `SELECT 1 FROM thread_runs o WHERE o.tenant = t.tenant AND o.protocol = substr(t.protocol, 1, length(t.protocol) - ${OF_THREADS.length}) AND o.thread_id = t.thread_id`;
/** Lifetime of a row without a run, in a thread without runs. */
const IDLE_MS = 30 * 86_400_000;

/** Threads in D1. */
export class D1ThreadStore implements ThreadStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  add(tenant: string, run: ThreadRun): Promise<boolean> {
    return onDatabase(async () => {
      const { runId, protocol, threadId, kind, name, createdAtMs, data } = run;
      const { meta } = await this.#db
        .prepare(
          "INSERT OR IGNORE INTO thread_runs (tenant, run_id, protocol, thread_id, kind, name, created_at, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(tenant, runId, protocol, threadId, kind, name, createdAtMs, JSON.stringify(data))
        .run();
      return meta.changes > 0;
    });
  }

  get(tenant: string, runId: string): Promise<ThreadRun | undefined> {
    return this.#one("t.tenant = ? AND t.run_id = ?", [tenant, runId]);
  }

  setData(tenant: string, runId: string, data: JsonObject): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare("UPDATE thread_runs SET data = ? WHERE tenant = ? AND run_id = ?")
        .bind(JSON.stringify(data), tenant, runId)
        .run();
    });
  }

  latest(tenant: string, { protocol, threadId }: ThreadRef): Promise<ThreadRun | undefined> {
    return this.#one(
      "t.tenant = ? AND t.protocol = ? AND t.thread_id = ? ORDER BY t.created_at DESC, t.run_id DESC",
      [tenant, protocol, threadId],
    );
  }

  list(
    tenant: string,
    query: ThreadRunQuery,
  ): Promise<{ items: readonly ThreadRunRow[]; total: number }> {
    const { protocol, threadId, subject, statuses, isAsking, updatedSinceMs, after, limit } = query;
    const { label } = query;
    const conditions: Array<[string, ...Array<string | number | null>]> = [
      ["t.tenant = ?", tenant],
      ["t.protocol = ?", protocol],
    ];
    if (threadId !== undefined) conditions.push(["t.thread_id = ?", threadId]);
    if (subject !== undefined)
      conditions.push(["t.kind = ? AND t.name = ?", subject.kind, subject.name]);
    if (statuses !== undefined)
      conditions.push([`r.status IN (${statuses.map(() => "?").join(", ")})`, ...statuses]);
    if (isAsking !== undefined) conditions.push([isAsking ? ASKING : `NOT ${ASKING}`]);
    if (label !== undefined) conditions.push(["json_extract(t.data, '$.label') IS ?", label]);
    if (updatedSinceMs !== undefined) conditions.push(["r.updated_at >= ?", updatedSinceMs]);
    const from = "FROM thread_runs t JOIN runs r ON r.tenant = t.tenant AND r.id = t.run_id";
    const paged: typeof conditions =
      after === undefined
        ? conditions
        : [...conditions, ["(r.updated_at, t.run_id) < (?, ?)", after.updatedAtMs, after.runId]];
    const where = (all: typeof conditions): string => all.map(([text]) => text).join(" AND ");
    const values = (all: typeof conditions): Array<string | number | null> =>
      all.flatMap(([, ...bound]) => bound);
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT ${RUN}, r.status, r.updated_at, ${ASKING} AS asking ${from} WHERE ${where(paged)} ORDER BY r.updated_at DESC, t.run_id DESC LIMIT ?`,
        )
        .bind(...values(paged), limit)
        .all();
      const counted = (await this.#db
        .prepare(`SELECT COUNT(*) AS total ${from} WHERE ${where(conditions)}`)
        .bind(...values(conditions))
        .first()) as { total: number } | null;
      const items = (results as ListRow[]).map((row) => ({
        ...toRun(row),
        status: row.status as RunStatus,
        isAsking: row.asking === 1 && row.status === "waiting",
        updatedAtMs: row.updated_at,
      }));
      return { items, total: counted?.total ?? 0 };
    });
  }

  unanswered(
    tenant: string,
    { protocol, threadId }: ThreadRef,
    limit: number,
  ): Promise<readonly ThreadRun[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT ${RUN} FROM thread_runs t WHERE t.tenant = ? AND t.protocol = ? AND t.thread_id = ? AND t.answered = 0 ORDER BY t.created_at, t.run_id LIMIT ?`,
        )
        .bind(tenant, protocol, threadId, limit)
        .all();
      return (results as RunRow[]).map(toRun);
    });
  }

  say(
    tenant: string,
    { runId, protocol, threadId }: ThreadRun,
    { messages, answered = false }: { messages: readonly ThreadMessage[]; answered?: boolean },
  ): Promise<void> {
    return onDatabase(async () => {
      const insert = this.#db.prepare(
        "INSERT OR IGNORE INTO thread_messages (tenant, protocol, thread_id, run_id, message_id, role, content, data, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      );
      const statements = messages.map(({ id, role, content, data, createdAtMs }) =>
        insert.bind(
          tenant,
          protocol,
          threadId,
          runId,
          id,
          role,
          JSON.stringify(content),
          data === undefined ? null : JSON.stringify(data),
          createdAtMs,
        ),
      );
      if (answered)
        statements.push(
          this.#db
            .prepare("UPDATE thread_runs SET answered = 1 WHERE tenant = ? AND run_id = ?")
            .bind(tenant, runId),
        );
      if (statements.length > 0) await this.#db.batch(statements);
    });
  }

  messages(
    tenant: string,
    of: ThreadRef | { runId: string },
    limit: number,
  ): Promise<readonly ThreadMessage[]> {
    const [condition, ...values] =
      "runId" in of
        ? ["run_id = ?", of.runId]
        : ["protocol = ? AND thread_id = ?", of.protocol, of.threadId];
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT message_id, run_id, role, content, data, created_at FROM thread_messages WHERE tenant = ? AND ${condition} ORDER BY place DESC LIMIT ?`,
        )
        .bind(tenant, ...values, limit)
        .all();
      return (results as MessageRow[]).toReversed().map(toMessage);
    });
  }

  prune(beforeMs: number, limit: number): Promise<void> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT t.tenant, t.run_id FROM thread_runs t WHERE t.kind <> '' AND t.created_at < ?1 AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.tenant = t.tenant AND r.id = t.run_id)
           UNION ALL SELECT t.tenant, t.run_id FROM thread_runs t WHERE t.kind = '' AND t.created_at < ?3 AND NOT EXISTS (${RUN_OF_THREAD})
           LIMIT ?2`,
        )
        .bind(beforeMs, limit, beforeMs - IDLE_MS)
        .all();
      const gone = results as ReadonlyArray<{ tenant: string; run_id: string }>;
      const statements = gone.flatMap(({ tenant, run_id }) =>
        ["thread_messages", "thread_runs"].map((table) =>
          this.#db
            .prepare(`DELETE FROM ${table} WHERE tenant = ? AND run_id = ?`)
            .bind(tenant, run_id),
        ),
      );
      if (statements.length > 0) await this.#db.batch(statements);
    });
  }

  #one(condition: string, values: readonly string[]): Promise<ThreadRun | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare(`SELECT ${RUN} FROM thread_runs t WHERE ${condition} LIMIT 1`)
        .bind(...values)
        .first();
      return row === null ? undefined : toRun(row as RunRow);
    });
  }
}

function toRun(row: RunRow): ThreadRun {
  return {
    runId: row.run_id,
    protocol: row.protocol,
    threadId: row.thread_id,
    kind: row.kind,
    name: row.name,
    createdAtMs: row.created_at,
    data: JSON.parse(row.data) as JsonObject,
  };
}

function toMessage(row: MessageRow): ThreadMessage {
  return {
    id: row.message_id,
    runId: row.run_id,
    role: row.role as ThreadMessage["role"],
    content: JSON.parse(row.content) as ThreadMessage["content"],
    ...(row.data === null ? undefined : { data: JSON.parse(row.data) as JsonObject }),
    createdAtMs: row.created_at,
  };
}
