import type { IndexStatement, Part } from "../../parts/part.ts";
import type { Page } from "../../runtime/page.ts";
import type {
  PruneQuery,
  RunPage,
  RunQuery,
  WaitQuery,
  WaitSummary,
} from "../../runtime/run-directory.ts";
import type { OpenWait, RunIndexRow, RunStatus } from "../../runtime/run.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";
import { forgetStatements, OLD_TOMBSTONES } from "./forgotten-runs.ts";
import { listRuns } from "./run-list.ts";
import { correction, isOfSameStart, runStatement, tagsOf } from "./run-row.ts";
import { listWaits } from "./wait-list.ts";

type OverdueRow = { tenant: string; id: string; status: RunStatus };

/** Maximum number of runs in one sweep. */
const SWEEP_LIMIT = 500;

/** Index of all runs, in D1. */
export class D1RunIndex {
  readonly #db: BatchDatabase;
  readonly #withSums: boolean;
  readonly #withText: boolean;
  readonly #withChanges: boolean;
  readonly #entering: ReadonlyArray<(row: RunIndexRow) => readonly IndexStatement[]>;

  /** `parts` may add their own entries to the index. */
  constructor(db: BatchDatabase, parts: readonly Pick<Part, "runs">[] = []) {
    this.#db = db;
    this.#withSums = parts.some(({ runs }) => runs?.withSums === true);
    this.#withText = parts.some(({ runs }) => runs?.withText === true);
    this.#withChanges = parts.some(({ runs }) => runs?.withChanges === true);
    this.#entering = parts.flatMap(({ runs }) => runs?.entering ?? []);
  }

  /** True if a part needs sums over runs. */
  get withSums(): boolean {
    return this.#withSums;
  }

  /** True if rows include the words of runs. */
  get withText(): boolean {
    return this.#withText;
  }

  /** Stores the report of a run. An older report never replaces a newer one; it returns false. */
  put(row: RunIndexRow): Promise<boolean> {
    const entry = runStatement(row, {
      withText: this.#withText,
      withChanges: this.#withChanges,
    });
    return onDatabase(async () => {
      const run = this.#db.prepare(entry.sql).bind(...entry.values);
      const before = this.#entering
        .flatMap((entering) => entering(row))
        .map(({ sql, values }) => this.#db.prepare(sql).bind(...values));
      const after = [
        ...(row.waits === undefined ? [] : this.#replaceWaits(row, row.waits)),
        ...this.#tag(row),
      ];
      const isAlone = before.length + after.length === 0;
      const entered = isAlone
        ? await run.first()
        : (await this.#db.batch([...before, run, ...after]))[before.length]?.results[0];
      const isNewer = entered !== undefined && entered !== null;
      const isRight = row.version === 0 || (isNewer && isOfSameStart(row, entered));
      if (!isRight) await this.#correct(row);
      return isNewer;
    });
  }

  async #correct(row: RunIndexRow): Promise<void> {
    const { sql, values } = correction(row);
    await this.#db
      .prepare(sql)
      .bind(...values)
      .run();
  }

  /** Takes effect only if the row of this version is the current one. */
  #replaceWaits(row: RunIndexRow, waits: readonly OpenWait[]): Statement[] {
    const isCurrent = `EXISTS (SELECT 1 FROM runs WHERE tenant = ? AND id = ? AND version = ?)`;
    const current = [row.tenant, row.id, row.version];
    const forget = this.#db
      .prepare(`DELETE FROM waits WHERE tenant = ? AND run_id = ? AND ${isCurrent}`)
      .bind(row.tenant, row.id, ...current);
    const keep = waits.map(({ wait, openedAtMs }) =>
      this.#db
        .prepare(
          `INSERT INTO waits (tenant, run_id, key, run_kind, run_name, wait, opened_at, expires_at) SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE ${isCurrent}`,
        )
        .bind(
          row.tenant,
          row.id,
          wait.key,
          row.kind,
          row.name,
          JSON.stringify(wait),
          openedAtMs,
          wait.expiresAt === undefined ? null : Date.parse(wait.expiresAt),
          ...current,
        ),
    );
    return [forget, ...keep];
  }

  /** Tags runs from their first report on, as an announced run may never start. */
  #tag(row: RunIndexRow): Statement[] {
    const tags = tagsOf(row);
    if (tags === null || row.version === 0) return [];
    const { tenant, id, createdAtMs, version } = row;
    return [
      this.#db
        .prepare(
          `INSERT OR IGNORE INTO run_tags (tenant, tag, created_at, run_id) SELECT ?1, value, ?2, ?3 FROM json_each(?4)
             WHERE EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?3 AND version = ?5)`,
        )
        .bind(tenant, createdAtMs, id, tags, version),
    ];
  }

  waits(query: WaitQuery): Promise<Page<WaitSummary>> {
    return onDatabase(() => listWaits(this.#db, query));
  }

  /** Returns a page of runs, newest first. */
  list(query: RunQuery): Promise<RunPage> {
    return onDatabase(() => listRuns(this.#db, query, { withText: this.#withText }));
  }

  /** Returns the runs with an expired lease. They should have reported by now. */
  overdue(nowMs: number): Promise<readonly OverdueRow[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT tenant, id, status FROM runs WHERE lease_until < ? ORDER BY lease_until LIMIT ?`,
        )
        .bind(nowMs, SWEEP_LIMIT)
        .all();
      return results as OverdueRow[];
    });
  }

  /** Returns held runs last tried with another version of the code. */
  heldWithOther(codeVersion: string): Promise<ReadonlyArray<Pick<OverdueRow, "tenant" | "id">>> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT tenant, id FROM runs WHERE held_version IS NOT NULL AND held_version <> ? ORDER BY created_at LIMIT ?`,
        )
        .bind(codeVersion, SWEEP_LIMIT)
        .all();
      return results as OverdueRow[];
    });
  }

  /** Postpones the next check of a run. */
  postpone(tenant: string, id: string, untilMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(
          `UPDATE runs SET lease_until = ? WHERE tenant = ? AND id = ? AND lease_until IS NOT NULL`,
        )
        .bind(untilMs, tenant, id)
        .run();
    });
  }

  /** Removes a run from the list. */
  forget(tenant: string, id: string, atMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db.batch([
        ...forgetStatements(this.#db, { tenant, id, atMs }),
        this.#db.prepare(`DELETE FROM waits WHERE tenant = ? AND run_id = ?`).bind(tenant, id),
      ]);
    });
  }

  /** Returns finished runs unchanged since a time, oldest first, without the newest `keep` of them. */
  prunable({ tenant, beforeMs, keep, limit }: PruneQuery): Promise<readonly string[]> {
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(
          `SELECT id FROM runs WHERE tenant = ?1 AND lease_until IS NULL AND status IN ('completed', 'failed', 'cancelled')
             AND updated_at < ?2 AND (created_at, id) NOT IN (
               SELECT created_at, id FROM runs WHERE tenant = ?1 AND status IN ('completed', 'failed', 'cancelled')
               ORDER BY created_at DESC, id DESC LIMIT ?3)
           ORDER BY created_at, id LIMIT ?4`,
        )
        .bind(tenant, beforeMs, keep, limit)
        .all();
      return (results as { id: string }[]).map(({ id }) => id);
    });
  }

  /** Removes an announced run that never started. */
  remove(tenant: string, id: string, atMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db.batch(
        forgetStatements(this.#db, { tenant, id, atMs, onlyIf: "runs.version = 0" }),
      );
    });
  }

  /** Removes deletions older than a time. The place of the newest one stays. */
  forgetDeletions(beforeMs: number): Promise<void> {
    return onDatabase(async () => {
      await this.#db.batch(
        OLD_TOMBSTONES.map((statement) => this.#db.prepare(statement).bind(beforeMs)),
      );
    });
  }
}
