import { isoTime } from "../../base/clock.ts";
import { cursorAfterPlace, pageOf, placeOfCursor } from "../../runtime/page.ts";
import type {
  Page,
  PruneQuery,
  RunQuery,
  RunSummary,
  WaitQuery,
  WaitSummary,
} from "../../runtime/run-directory.ts";
import type { OpenWait, RunIndexRow, RunKind, RunStatus, Wait } from "../../runtime/run.ts";
import type { IndexStatement, Part } from "../../parts/part.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";

type Row = {
  id: string;
  kind: RunKind;
  name: string;
  status: RunStatus;
  created_at: number;
  updated_at: number;
  parent_id: string | null;
  parent_key: string | null;
  held_version: string | null;
  definition_version: string | null;
};

type WaitRow = {
  run_id: string;
  run_kind: RunKind;
  run_name: string;
  key: string;
  wait: string;
  opened_at: number;
};

type OverdueRow = { tenant: string; id: string; status: RunStatus };

/** Runs that the sweeper looks after in one go. */
const SWEEP_LIMIT = 500;

/** The index over all runs, in D1. */
export class D1RunIndex {
  readonly #db: BatchDatabase;
  readonly #withSums: boolean;
  readonly #entering: ReadonlyArray<(row: RunIndexRow) => readonly IndexStatement[]>;

  /** `parts`: those that have something to enter beside. */
  constructor(db: BatchDatabase, parts: readonly Pick<Part, "runs">[] = []) {
    this.#db = db;
    this.#withSums = parts.some(({ runs }) => runs?.withSums === true);
    this.#entering = parts.flatMap(({ runs }) => runs?.entering ?? []);
  }

  /** Whether something is summed up over runs. */
  get withSums(): boolean {
    return this.#withSums;
  }

  /** Stores what a run reports about itself; an older report never replaces a newer one. False for one that is not newer. */
  put(row: RunIndexRow): Promise<boolean> {
    const spent = row.sums?.spent;
    return onDatabase(async () => {
      const run = this.#db
        .prepare(
          `INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version, lease_until, parent_id, parent_key, held_version, definition_version${spent === undefined ? "" : ", usage"})
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?${spent === undefined ? "" : ", ?"})
           ON CONFLICT (tenant, id) DO UPDATE SET kind = excluded.kind, name = excluded.name, status = excluded.status,
             created_at = excluded.created_at, updated_at = excluded.updated_at, version = excluded.version,
             lease_until = excluded.lease_until, parent_id = excluded.parent_id, parent_key = excluded.parent_key,
             held_version = excluded.held_version, definition_version = excluded.definition_version${spent === undefined ? "" : ", usage = excluded.usage"}
           WHERE excluded.version > runs.version`,
        )
        .bind(
          row.tenant,
          row.id,
          row.kind,
          row.name,
          row.status,
          row.createdAtMs,
          row.updatedAtMs,
          row.version,
          row.leaseUntilMs,
          row.parent?.id ?? null,
          row.parent?.key ?? null,
          row.heldVersion ?? null,
          row.definitionVersion ?? null,
          ...(spent === undefined ? [] : [JSON.stringify(spent)]),
        );
      const before = this.#entering
        .flatMap((entering) => entering(row))
        .map(({ sql, values }) => this.#db.prepare(sql).bind(...values));
      const after = row.waits === undefined ? [] : this.#replaceWaits(row, row.waits);
      if (before.length + after.length === 0) return (await run.run()).meta.changes > 0;
      const done = await this.#db.batch([...before, run, ...after]);
      return (done[before.length]?.meta.changes ?? 0) > 0;
    });
  }

  /** Only where the row of this version is the one that counts. */
  #replaceWaits(row: RunIndexRow, waits: readonly OpenWait[]): Statement[] {
    const isCurrent = `EXISTS (SELECT 1 FROM runs WHERE tenant = ? AND id = ? AND version = ?)`;
    const current = [row.tenant, row.id, row.version];
    const forget = this.#db
      .prepare(`DELETE FROM waits WHERE tenant = ? AND run_id = ? AND ${isCurrent}`)
      .bind(row.tenant, row.id, ...current);
    const keep = waits.map(({ wait, openedAtMs }) =>
      this.#db
        .prepare(
          `INSERT INTO waits (tenant, run_id, key, run_kind, run_name, wait, opened_at) SELECT ?, ?, ?, ?, ?, ?, ? WHERE ${isCurrent}`,
        )
        .bind(
          row.tenant,
          row.id,
          wait.key,
          row.kind,
          row.name,
          JSON.stringify(wait),
          openedAtMs,
          ...current,
        ),
    );
    return [forget, ...keep];
  }

  /** Open waits, the oldest first. */
  waits({ tenant, cursor, limit }: WaitQuery): Promise<Page<WaitSummary>> {
    return onDatabase(async () => {
      const after =
        cursor === undefined ? undefined : placeOfCursor(cursor, ["number", "string", "string"]);
      const { results } = await this.#db
        .prepare(
          `SELECT run_id, run_kind, run_name, wait, opened_at, key FROM waits WHERE tenant = ?${after === undefined ? "" : " AND (opened_at, run_id, key) > (?, ?, ?)"}
           ORDER BY opened_at, run_id, key LIMIT ?`,
        )
        .bind(tenant, ...(after ?? []), limit + 1)
        .all();
      return pageOf(results as WaitRow[], limit, {
        item: (row): WaitSummary => ({
          ...(JSON.parse(row.wait) as Wait),
          openedAt: isoTime(row.opened_at),
          run: { id: row.run_id, kind: row.run_kind, name: row.run_name },
        }),
        cursor: (last) => cursorAfterPlace([last.opened_at, last.run_id, last.key]),
      });
    });
  }

  /** Newest first. */
  list(query: RunQuery): Promise<Page<RunSummary>> {
    const { tenant, kind, name, status, parent, held = false, cursor, limit } = query;
    const { definitionVersion } = query;
    return onDatabase(async () => {
      const filters: Array<[string, string | undefined]> = [
        ["kind = ?", kind],
        ["name = ?", name],
        ["status = ?", status],
        ["parent_id = ?", parent],
        ["definition_version = ?", definitionVersion],
      ];
      const used = filters.filter((filter): filter is [string, string] => filter[1] !== undefined);
      const after = cursor === undefined ? undefined : placeOfCursor(cursor, ["number", "string"]);
      const conditions = [
        "tenant = ?",
        ...used.map(([condition]) => condition),
        ...(held ? ["held_version IS NOT NULL"] : []),
        ...(after === undefined ? [] : ["(created_at, id) < (?, ?)"]),
      ];
      const { results } = await this.#db
        .prepare(
          `SELECT id, kind, name, status, created_at, updated_at, parent_id, parent_key, held_version, definition_version FROM runs WHERE ${conditions.join(" AND ")} ORDER BY created_at DESC, id DESC LIMIT ?`,
        )
        .bind(tenant, ...used.map(([, value]) => value), ...(after ?? []), limit + 1)
        .all();
      return pageOf(results as Row[], limit, {
        item: toSummary,
        cursor: (last) => cursorAfterPlace([last.created_at, last.id]),
      });
    });
  }

  /** Returns the runs whose lease is over: they should have reported by now. */
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

  /** Returns held runs that were last tried with another version of the code. */
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

  /** Looks again later after a run that was looked after. */
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

  /** Takes a run off the list. */
  forget(tenant: string, id: string): Promise<void> {
    return onDatabase(async () => {
      await this.#db.batch([
        this.#db.prepare(`DELETE FROM runs WHERE tenant = ? AND id = ?`).bind(tenant, id),
        this.#db.prepare(`DELETE FROM waits WHERE tenant = ? AND run_id = ?`).bind(tenant, id),
      ]);
    });
  }

  /** Finished runs that have not changed since, oldest first, without the newest `keep` of them. */
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

  /** Forgets a run that was announced and never came to be. */
  remove(tenant: string, id: string): Promise<void> {
    return onDatabase(async () => {
      await this.#db
        .prepare(`DELETE FROM runs WHERE tenant = ? AND id = ? AND version = 0`)
        .bind(tenant, id)
        .run();
    });
  }
}

function toSummary({ id, kind, name, status, ...row }: Row): RunSummary {
  const times = { createdAt: isoTime(row.created_at), updatedAt: isoTime(row.updated_at) };
  const parent =
    row.parent_id === null
      ? undefined
      : { parent: { id: row.parent_id, key: row.parent_key ?? "" } };
  const held = row.held_version === null ? undefined : { held: true as const };
  const version =
    row.definition_version === null ? undefined : { definitionVersion: row.definition_version };
  return { id, kind, name, status, ...held, ...version, ...times, ...parent };
}
