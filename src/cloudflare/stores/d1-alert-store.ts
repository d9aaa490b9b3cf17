import type { AlertExample, AlertKind, AlertStore, DueAlert } from "../../alerts/alert-store.ts";
import type { IndexStatement } from "../../parts/part.ts";
import type { RunIndexRow } from "../../runtime/run.ts";
import { rowsOf, type Database } from "../d1.ts";

const HOUR_MS = 3_600_000;
/** Row with the last visit of the cron. */
const SWEPT = "swept";

const COUNT = `ON CONFLICT DO UPDATE SET count = count + 1, last_at = excluded.last_at,
  first_at = CASE WHEN count = 0 THEN excluded.first_at ELSE first_at END,
  example = CASE WHEN count = 0 THEN excluded.example ELSE example END`;

/** Counts a failed or held run when it is entered in the index, once even if it is entered repeatedly. */
export function alertStatements(
  row: RunIndexRow,
  kinds: ReadonlySet<AlertKind>,
): readonly IndexStatement[] {
  const { tenant, id, version, status, heldVersion, updatedAtMs } = row;
  const kind =
    status === "failed" ? "run_failed" : heldVersion === undefined ? undefined : "run_held";
  if (kind === undefined || !kinds.has(kind)) return [];
  const known = kind === "run_failed" ? "status = 'failed'" : "held_version IS NOT NULL";
  return [
    {
      sql: `INSERT INTO alerts (kind, count, first_at, last_at, example, due_at, attempts)
        SELECT ?4, 1, ?5, ?5, ?6, 0, 0
        WHERE NOT EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?2 AND (version >= ?3 OR ${known})) ${COUNT}`,
      values: [tenant, id, version, kind, updatedAtMs, JSON.stringify({ tenant, run: id })],
    },
  ];
}

type Row = {
  kind: AlertKind;
  count: number;
  first_at: number;
  last_at: number;
  example: string | null;
  attempts: number;
};

/** Pending alerts in D1. */
export class D1AlertStore implements AlertStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(
    kind: AlertKind,
    { atMs, example }: { readonly atMs: number; readonly example: AlertExample },
  ): Promise<void> {
    await rowsOf(
      this.#db,
      `INSERT INTO alerts (kind, count, first_at, last_at, example, due_at, attempts) VALUES (?1, 1, ?2, ?2, ?3, 0, 0) ${COUNT}`,
      [kind, atMs, JSON.stringify(example)],
    );
  }

  async claim(nowMs: number, untilMs: number): Promise<readonly DueAlert[]> {
    const rows = await rowsOf<Row>(
      this.#db,
      "UPDATE alerts SET due_at = ? WHERE count > 0 AND due_at <= ? RETURNING kind, count, first_at, last_at, example, attempts",
      [untilMs, nowMs],
    );
    return rows.map(({ kind, count, first_at, last_at, example, attempts }) => ({
      kind,
      count,
      firstAtMs: first_at,
      lastAtMs: last_at,
      example: example === null ? undefined : (JSON.parse(example) as AlertExample),
      attempts,
    }));
  }

  async sent({ kind, count, lastAtMs }: DueAlert): Promise<void> {
    await rowsOf(
      this.#db,
      "UPDATE alerts SET count = MAX(0, count - ?), first_at = ?, attempts = 0 WHERE kind = ?",
      [count, lastAtMs, kind],
    );
  }

  async failed({ kind }: DueAlert, dueAtMs: number): Promise<void> {
    await rowsOf(this.#db, "UPDATE alerts SET due_at = ?, attempts = attempts + 1 WHERE kind = ?", [
      dueAtMs,
      kind,
    ]);
  }

  async swept(nowMs: number): Promise<number | undefined> {
    const [row] = await rowsOf<{ last_at: number }>(
      this.#db,
      "SELECT last_at FROM alerts WHERE kind = ?",
      [SWEPT],
    );
    await rowsOf(
      this.#db,
      "INSERT INTO alerts (kind, count, first_at, last_at, due_at, attempts) VALUES (?, 0, ?, ?, 0, 0) ON CONFLICT DO UPDATE SET last_at = excluded.last_at",
      [SWEPT, nowMs, nowMs],
    );
    return row?.last_at;
  }

  async ended(sinceMs: number): Promise<{ readonly completed: number; readonly failed: number }> {
    const [row] = await rowsOf<{ completed: number; failed: number }>(
      this.#db,
      "SELECT COALESCE(SUM(completed), 0) AS completed, COALESCE(SUM(failed), 0) AS failed FROM run_hours WHERE hour >= ?",
      [Math.floor(sinceMs / HOUR_MS)],
    );
    return row ?? { completed: 0, failed: 0 };
  }
}
