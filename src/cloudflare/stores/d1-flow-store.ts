import {
  MAX_SNAPSHOTS,
  snapshotText,
  type FlowHistoryPage,
  type FlowSessionsPage,
  type FlowSessionSummary,
  type FlowSnapshot,
  type FlowSnapshotSummary,
  type FlowStore,
} from "../../flow/flow-store.ts";
import { onDatabase, type Database } from "../d1.ts";
import type { FlowStatesSetting } from "./durable-flow-store.ts";
import {
  sessionOf,
  snapshotOf,
  summaryOf,
  type SessionRow,
  type SnapshotRow,
  type SummaryRow,
} from "./flow-state-rows.ts";
import { D1TenantStore } from "./d1-tenant-store.ts";

const ONE = "tenant = ? AND flow = ? AND flow_id = ?";

/** Same wording as in the index. */
const OF_SESSIONS = "substr(flow, -9) = '/sessions'";
/** Maximum number of turns one page of sessions examines. */
const MAX_SCANNED = 2_000;

/** Stores states of flows in the database bound as DB. */
export const d1FlowStates: FlowStatesSetting = (env, tenant) =>
  new D1FlowStore((env as { readonly DB: Database }).DB, tenant);

/** States of a tenant's flows in D1. */
export class D1FlowStore extends D1TenantStore implements FlowStore {
  /** Uses two statements: a crash between them leaves extra snapshots until the next save. */
  saveState(snapshot: FlowSnapshot): Promise<void> {
    return onDatabase(async () => {
      const { flow, flowId, method, runId, key, createdAtMs } = snapshot;
      const { text, bytes } = snapshotText(snapshot);
      await this.db
        .prepare(
          `INSERT INTO flow_states (tenant, flow, flow_id, method, state, bytes, run_id, key, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (tenant, run_id, key) DO UPDATE SET flow = excluded.flow, flow_id = excluded.flow_id,
             method = excluded.method, state = excluded.state, bytes = excluded.bytes, created_at = excluded.created_at`,
        )
        .bind(this.tenant, flow, flowId, method, text, bytes, runId, key, createdAtMs)
        .run();
      await this.db
        .prepare(
          `DELETE FROM flow_states WHERE ${ONE} AND seq <=
             (SELECT seq FROM flow_states WHERE ${ONE} ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_SNAPSHOTS})`,
        )
        .bind(this.tenant, flow, flowId, this.tenant, flow, flowId)
        .run();
    });
  }

  loadState(flow: string, flowId: string, seq?: number): Promise<FlowSnapshot | undefined> {
    return onDatabase(async () => {
      const row = (await this.db
        .prepare(
          `SELECT method, state, run_id, key, created_at FROM flow_states
           WHERE ${ONE} ${seq === undefined ? "" : "AND seq = ?"} ORDER BY seq DESC LIMIT 1`,
        )
        .bind(this.tenant, flow, flowId, ...(seq === undefined ? [] : [seq]))
        .first()) as SnapshotRow | null;
      return row === null ? undefined : snapshotOf({ flow, flowId }, row);
    });
  }

  history(
    flow: string,
    flowId: string,
    { before = Number.MAX_SAFE_INTEGER, limit }: FlowHistoryPage,
  ): Promise<readonly FlowSnapshotSummary[]> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          `SELECT seq, method, bytes, run_id, key, created_at FROM flow_states
           WHERE ${ONE} AND seq < ? ORDER BY seq DESC LIMIT ?`,
        )
        .bind(this.tenant, flow, flowId, before, limit)
        .all();
      return results.map((row) => summaryOf({ flow, flowId }, row as SummaryRow));
    });
  }

  listSessions(
    flow: string,
    { before = Number.MAX_SAFE_INTEGER, limit, values }: FlowSessionsPage,
  ): Promise<{ readonly items: readonly FlowSessionSummary[]; readonly next?: number }> {
    return onDatabase(async () => {
      const { results } = await this.db
        .prepare(
          `SELECT seq, NOT EXISTS (
             SELECT 1 FROM flow_states later WHERE later.tenant = turns.tenant AND later.flow = turns.flow
               AND later.flow_id = turns.flow_id AND later.seq > turns.seq) AS newest
           FROM flow_states turns WHERE tenant = ? AND flow = ? AND ${OF_SESSIONS} AND seq < ?
           ORDER BY seq DESC LIMIT ${MAX_SCANNED}`,
        )
        .bind(this.tenant, flow, before)
        .all();
      const scanned = results as ReadonlyArray<{ readonly seq: number; readonly newest: number }>;
      const newest = scanned.filter((row) => row.newest === 1).map(({ seq }) => seq);
      const shown = newest.slice(0, limit);
      const next =
        newest.length > limit
          ? shown.at(-1)
          : scanned.length === MAX_SCANNED
            ? scanned.at(-1)?.seq
            : undefined;
      const items = await this.#sessions(shown, values);
      return next === undefined ? { items } : { items, next };
    });
  }

  async #sessions(
    seqs: readonly number[],
    values: FlowSessionsPage["values"],
  ): Promise<readonly FlowSessionSummary[]> {
    if (seqs.length === 0) return [];
    const names = Object.keys(values);
    const picked = names.map((_, index) => `, state -> ? AS value_${index}`).join("");
    const { results } = await this.db
      .prepare(
        `SELECT seq, flow_id, method, bytes, run_id, key, created_at${picked},
           (SELECT created_at FROM flow_states oldest WHERE oldest.tenant = turns.tenant
              AND oldest.flow = turns.flow AND oldest.flow_id = turns.flow_id ORDER BY oldest.seq LIMIT 1) AS oldest_at
         FROM flow_states turns WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`,
      )
      .bind(...Object.values(values).map(jsonPath), JSON.stringify(seqs))
      .all();
    return results.map((row) => sessionOf(row as SessionRow, names));
  }

  forget(flow: string, flowId: string): Promise<number> {
    return onDatabase(async () => {
      const statement = this.db.prepare(`DELETE FROM flow_states WHERE ${ONE}`);
      return (await statement.bind(this.tenant, flow, flowId).run()).meta.changes;
    });
  }
}

/** Returns a path for SQLite's JSON operators: `$."state"."messages"[0]`. */
function jsonPath(parts: ReadonlyArray<string | number>): string {
  const steps = parts.map((part) => (typeof part === "number" ? `[${part}]` : `."${part}"`));
  return `$${steps.join("")}`;
}
