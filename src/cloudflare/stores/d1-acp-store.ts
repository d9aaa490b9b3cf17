import { HttpError } from "../../parts/problem.ts";
import type { RemoteAgent } from "../../protocols/acp/remote-agents.ts";
import type {
  AcpStore,
  ContextPiece,
  ContextStore,
  RemoteStore,
  SessionStore,
  StoredSession,
} from "../../protocols/acp/store.ts";
import type { AgentCard, TaskState } from "../../protocols/acp/task.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";
import { D1AcpTasks } from "./d1-acp-tasks.ts";

type SessionRow = {
  tenant: string;
  name: string;
  id: string;
  repo_scope: string | null;
  closed: number;
  created_at: number;
  last_active: number;
};
type RemoteRow = { name: string; url: string; card: string; last_heartbeat: number };

/** Maximum number of sessions of one tenant. */
const MAX_SESSIONS = 1_000;
const MAX_REMOTES = 100;
const MAX_CONTEXTS = 32;
const MAX_CONTEXT_BYTES = 256 * 1024;

/** Creates the D1 stores of the agent protocol. */
export function d1AcpStore(db: BatchDatabase): AcpStore {
  return {
    tasks: new D1AcpTasks(db),
    sessions: new D1AcpSessions(db),
    contexts: new D1AcpContexts(db),
    remotes: new D1AcpRemotes(db),
  };
}

class D1AcpSessions implements SessionStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  add(session: StoredSession): Promise<boolean> {
    const { tenant, name, id, repoScope = null, closed, createdAtMs, lastActiveMs } = session;
    return onDatabase(async () => {
      const { meta } = await this.#db
        .prepare(
          `INSERT INTO acp_sessions (tenant, name, id, repo_scope, closed, created_at, last_active)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE (SELECT COUNT(*) FROM acp_sessions WHERE tenant = ?1) < ?8
           ON CONFLICT (tenant, name) DO NOTHING`,
        )
        .bind(tenant, name, id, repoScope, Number(closed), createdAtMs, lastActiveMs, MAX_SESSIONS)
        .run();
      if (meta.changes > 0) return true;
      if ((await this.get(tenant, { name })) !== undefined) return false;
      throw tooMany("sessions", MAX_SESSIONS);
    });
  }

  get(
    tenant: string,
    by: { readonly name: string } | { readonly id: string },
  ): Promise<StoredSession | undefined> {
    const [column, value] = "name" in by ? ["name", by.name] : ["id", by.id];
    return onDatabase(async () => {
      const row = await this.#db
        .prepare(`SELECT * FROM acp_sessions WHERE tenant = ? AND ${column} = ?`)
        .bind(tenant, value)
        .first();
      return row === null ? undefined : toSession(row as SessionRow);
    });
  }

  list(tenant: string): Promise<ReadonlyArray<StoredSession & { readonly taskCount: number }>> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT *, (SELECT COUNT(*) FROM acp_tasks t WHERE t.tenant = s.tenant AND t.session = s.id) AS tasks
           FROM acp_sessions s WHERE tenant = ? ORDER BY name LIMIT ?`,
        )
        .bind(tenant, MAX_SESSIONS)
        .all();
      return results.map((row) => ({
        ...toSession(row as SessionRow),
        taskCount: (row as { tasks: number }).tasks,
      }));
    });
  }

  close(tenant: string, name: string, nowMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          "UPDATE acp_sessions SET closed = 1, last_active = ?3 WHERE tenant = ?1 AND name = ?2",
        )
        .bind(tenant, name, nowMs)
        .run();
    });
  }

  delete(tenant: string, name: string, state: TaskState): Promise<boolean> {
    return onDatabase(async () => {
      const session = "(SELECT id FROM acp_sessions WHERE tenant = ?1 AND name = ?2)";
      const [, , done] = await this.#db.batch([
        this.#db
          .prepare(
            `UPDATE acp_tasks SET state = 'ended', ended_at = ?3, data = json_insert(data, '$.history[#]', json(?4))
             WHERE tenant = ?1 AND session = ${session} AND state = 'queued'`,
          )
          .bind(tenant, name, state.timestamp, JSON.stringify(state)),
        this.#db
          .prepare(
            `UPDATE acp_tasks SET session = NULL, version = version + 1 WHERE tenant = ?1 AND session = ${session}`,
          )
          .bind(tenant, name),
        this.#db
          .prepare("DELETE FROM acp_sessions WHERE tenant = ? AND name = ?")
          .bind(tenant, name),
      ]);
      return (done?.meta.changes ?? 0) > 0;
    });
  }
}

class D1AcpContexts implements ContextStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  add(
    tenant: string,
    piece: ContextPiece,
    { nowMs, expiresAtMs }: { readonly nowMs: number; readonly expiresAtMs: number },
  ): Promise<boolean> {
    const data = JSON.stringify(piece);
    return onDatabase(async () => {
      const { meta } = await this.#db
        .prepare(
          `INSERT INTO acp_contexts (tenant, data, bytes, expires_at) SELECT ?1, ?2, ?3, ?4 FROM
             (SELECT COUNT(*) AS count, COALESCE(SUM(bytes), 0) AS bytes FROM acp_contexts WHERE tenant = ?1 AND expires_at > ?5) AS kept
           WHERE kept.count < ?6 AND kept.bytes + ?3 <= ?7`,
        )
        .bind(
          tenant,
          data,
          new TextEncoder().encode(data).length,
          expiresAtMs,
          nowMs,
          MAX_CONTEXTS,
          MAX_CONTEXT_BYTES,
        )
        .run();
      return meta.changes > 0;
    });
  }

  list(
    tenant: string,
    nowMs: number,
  ): Promise<ReadonlyArray<{ readonly id: number; readonly piece: ContextPiece }>> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT seq, data FROM acp_contexts WHERE tenant = ? AND expires_at > ?
           ORDER BY CASE data ->> '$.priority' WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END, seq LIMIT ?`,
        )
        .bind(tenant, nowMs, MAX_CONTEXTS)
        .all();
      return (results as ReadonlyArray<{ seq: number; data: string }>).map(({ seq, data }) => ({
        id: seq,
        piece: JSON.parse(data) as ContextPiece,
      }));
    });
  }

  prune(nowMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db.prepare("DELETE FROM acp_contexts WHERE expires_at <= ?").bind(nowMs).run();
    });
  }
}

class D1AcpRemotes implements RemoteStore {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  put(tenant: string, name: string, { url, card, lastHeartbeat }: RemoteAgent): Promise<void> {
    return onDatabase(async () => {
      const { meta } = await this.#db
        .prepare(
          `INSERT INTO acp_remotes (tenant, name, url, card, last_heartbeat) SELECT ?1, ?2, ?3, ?4, ?5
           WHERE EXISTS (SELECT 1 FROM acp_remotes WHERE tenant = ?1 AND name = ?2)
             OR (SELECT COUNT(*) FROM acp_remotes WHERE tenant = ?1) < ?6
           ON CONFLICT (tenant, name) DO UPDATE SET url = excluded.url, card = excluded.card, last_heartbeat = excluded.last_heartbeat`,
        )
        .bind(tenant, name, url, JSON.stringify(card), lastHeartbeat, MAX_REMOTES)
        .run();
      if (meta.changes === 0) throw tooMany("remote agents", MAX_REMOTES);
    });
  }

  list(tenant: string): Promise<ReadonlyArray<RemoteAgent & { readonly name: string }>> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare("SELECT * FROM acp_remotes WHERE tenant = ? ORDER BY name LIMIT ?")
        .bind(tenant, MAX_REMOTES)
        .all();
      return (results as readonly RemoteRow[]).map((row) => ({ name: row.name, ...toRemote(row) }));
    });
  }

  get(tenant: string, name: string): Promise<RemoteAgent | undefined> {
    return onDatabase(async () => {
      const row = await this.#db
        .prepare("SELECT * FROM acp_remotes WHERE tenant = ? AND name = ?")
        .bind(tenant, name)
        .first();
      return row === null ? undefined : toRemote(row as RemoteRow);
    });
  }

  touch(tenant: string, name: string, nowMs: number): Promise<boolean> {
    return this.#changes(
      this.#db
        .prepare("UPDATE acp_remotes SET last_heartbeat = ?3 WHERE tenant = ?1 AND name = ?2")
        .bind(tenant, name, nowMs),
    );
  }

  delete(tenant: string, name: string): Promise<boolean> {
    return this.#changes(
      this.#db.prepare("DELETE FROM acp_remotes WHERE tenant = ? AND name = ?").bind(tenant, name),
    );
  }

  #changes(statement: Statement): Promise<boolean> {
    return onDatabase(async () => (await statement.run()).meta.changes > 0);
  }
}

function tooMany(what: string, most: number): HttpError {
  return new HttpError(
    "limit_exceeded",
    `a tenant may have at most ${most} ${what}; delete some first`,
    {
      status: 409,
    },
  );
}

function toSession(row: SessionRow): StoredSession {
  return {
    tenant: row.tenant,
    name: row.name,
    id: row.id,
    ...(row.repo_scope === null ? undefined : { repoScope: row.repo_scope }),
    closed: row.closed === 1,
    createdAtMs: row.created_at,
    lastActiveMs: row.last_active,
  };
}

function toRemote({ url, card, last_heartbeat: lastHeartbeat }: RemoteRow): RemoteAgent {
  return { url, card: JSON.parse(card) as AgentCard, lastHeartbeat };
}
