import {
  MAX_SNAPSHOTS,
  snapshotText,
  type FlowHistoryPage,
  type FlowSnapshot,
  type FlowSnapshotSummary,
} from "../../flow/flow-store.ts";
import { snapshotOf, summaryOf, type SnapshotRow, type SummaryRow } from "./flow-state-rows.ts";
import type { SqlDatabase } from "../runs/sql-database.ts";

type Owner = { readonly flow: string; readonly flowId: string };

/** States of one flow id in the SQLite of their own object. The first save creates the schema. */
export class SqlFlowStates {
  readonly #sql: SqlDatabase;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
  }

  save(snapshot: FlowSnapshot): void {
    const { method, runId, key, createdAtMs } = snapshot;
    const { text, bytes } = snapshotText(snapshot);
    this.#sql.transaction(() => {
      this.#sql.exec(
        `CREATE TABLE IF NOT EXISTS states (seq INTEGER PRIMARY KEY AUTOINCREMENT, method TEXT NOT NULL, state TEXT NOT NULL,
           bytes INTEGER NOT NULL, run_id TEXT NOT NULL, key TEXT NOT NULL, created_at INTEGER NOT NULL, UNIQUE (run_id, key))`,
      );
      this.#sql.exec(
        `INSERT INTO states (method, state, bytes, run_id, key, created_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, key) DO UPDATE SET method = excluded.method, state = excluded.state,
           bytes = excluded.bytes, created_at = excluded.created_at`,
        method,
        text,
        bytes,
        runId,
        key,
        createdAtMs,
      );
      this.#sql.exec(
        `DELETE FROM states WHERE seq <= (SELECT seq FROM states ORDER BY seq DESC LIMIT 1 OFFSET ${MAX_SNAPSHOTS})`,
      );
    });
  }

  load(owner: Owner, seq?: number): FlowSnapshot | undefined {
    const which = seq === undefined ? "" : "WHERE seq = ?";
    const [row] = this.#read(
      `SELECT method, state, run_id, key, created_at FROM states ${which} ORDER BY seq DESC LIMIT 1`,
      ...(seq === undefined ? [] : [seq]),
    );
    return row === undefined ? undefined : snapshotOf(owner, row as SnapshotRow);
  }

  history(
    owner: Owner,
    { before = Number.MAX_SAFE_INTEGER, limit }: FlowHistoryPage,
  ): readonly FlowSnapshotSummary[] {
    const rows = this.#read(
      `SELECT seq, method, bytes, run_id, key, created_at FROM states WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
      before,
      limit,
    );
    return rows.map((row) => summaryOf(owner, row as SummaryRow));
  }

  count(): number {
    return (this.#read(`SELECT count(*) AS n FROM states`)[0] as { n: number } | undefined)?.n ?? 0;
  }

  /** An object without saves has no table, and a read creates none. */
  #read(query: string, ...bindings: number[]): readonly unknown[] {
    const [known] = this.#sql.exec(
      `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'states'`,
    );
    return known === undefined ? [] : [...this.#sql.exec(query, ...bindings)];
  }
}
