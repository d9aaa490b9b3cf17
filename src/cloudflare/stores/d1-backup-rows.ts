// Rows of D1 for backups. The names of tables and columns come from `BACKUP_TABLES` alone.
import type { BackupRow, BackupRows } from "../../backup/backup-rows.ts";
import { BACKUP_TABLES, columnsOf, type BackupTable } from "../../backup/backup-tables.ts";
import { EngineError } from "../../base/error.ts";
import type { Page } from "../../runtime/page.ts";
import { onDatabase, type BatchDatabase } from "../d1.ts";

/** Maximum length of a page, in characters. A single row may have two million. */
const MAX_PAGE_LENGTH = 4_000_000;

export class D1BackupRows implements BackupRows {
  readonly #db: BatchDatabase;

  constructor(db: BatchDatabase) {
    this.#db = db;
  }

  async page(query: Parameters<BackupRows["page"]>[0]): Promise<Page<BackupRow>> {
    const { tenant, table, cursor, limit } = query;
    const spec = specOf(table);
    const columns = columnsOf(spec);
    const order = spec.number === undefined ? spec.key : [spec.number];
    const after = cursor === undefined ? undefined : placeOf(cursor, order.length);
    const place = list(order);
    const sql = `SELECT * FROM (SELECT *, row_number() OVER (ORDER BY ${place}) AS "#n",
        sum(${columns.map((column) => `coalesce(length("${column}"), 0)`).join(" + ")}) OVER (ORDER BY ${place}) AS "#length"
      FROM (SELECT ${list([...new Set([...columns, ...order])])} FROM "${table}"
        WHERE tenant = ?${after === undefined ? "" : ` AND (${place}) > (${order.map(() => "?").join(", ")})`}
        ORDER BY ${place} LIMIT ?))
      WHERE "#n" = 1 OR "#length" <= ${MAX_PAGE_LENGTH} ORDER BY "#n"`;
    return onDatabase(async () => {
      const { results } = await this.#db
        .prepare(sql)
        .bind(tenant, ...(after ?? []), limit + 1)
        .all();
      const found = results as BackupRow[];
      const shown = found.slice(0, limit);
      const items = shown.map((row) => picked(row, columns));
      const last = shown.at(-1);
      // If the page was cut at its maximum length, the rows read do not show if more follow, so `#hasMore` checks.
      if (last === undefined) return { items };
      const isLast = found.length <= limit && !(await this.#hasMore(table, tenant, last));
      if (isLast) return { items };
      return { items, nextCursor: cursorOf(order.map((column) => last[column] ?? null)) };
    });
  }

  async compare(
    tenant: string,
    table: string,
    rows: readonly BackupRow[],
  ): ReturnType<BackupRows["compare"]> {
    const spec = specOf(table);
    const found = await this.#found(tenant, table, rows);
    const changing = new Set(spec.changing);
    const compared = columnsOf(spec).filter((column) => !changing.has(column));
    const missing: BackupRow[] = [];
    const conflicts: BackupRow[] = [];
    for (const [index, row] of rows.entries()) {
      const there = found[index];
      if (there === undefined) missing.push(row);
      else if (compared.some((column) => (row[column] ?? null) !== (there[column] ?? null)))
        conflicts.push(picked(row, spec.key));
    }
    return { missing, conflicts, same: rows.length - missing.length - conflicts.length };
  }

  async insert(
    tenant: string,
    table: string,
    rows: readonly BackupRow[],
  ): Promise<readonly boolean[]> {
    const spec = specOf(table);
    if (rows.length === 0) return [];
    const columns = columnsOf(spec);
    const set = Object.entries(spec.set ?? {});
    const names = ["tenant", ...columns, ...set.map(([name]) => name)];
    const values = ["?1", ...columns.map((_, at) => `?${at + 2}`), ...set.map(([, sql]) => sql)];
    const history = spec.history?.map((column) => `"${column}" = ?${columns.indexOf(column) + 2}`);
    const createdAt = `?${columns.indexOf("created_at") + 2}`;
    const unlessNewer =
      history === undefined
        ? "true"
        : `NOT EXISTS (SELECT 1 FROM "${table}" WHERE tenant = ?1 AND ${history.join(" AND ")} AND created_at > ${createdAt})`;
    const sql = `INSERT INTO "${table}" (${list(names)})
      SELECT ${values.join(", ")} WHERE ${unlessNewer} ON CONFLICT DO NOTHING`;
    const before = spec.before === undefined ? [] : [this.#db.prepare(spec.before).bind(tenant)];
    return onDatabase(async () => {
      const results = await this.#db.batch([
        ...before,
        ...rows.map((row) =>
          this.#db.prepare(sql).bind(tenant, ...columns.map((column) => row[column] ?? null)),
        ),
      ]);
      return results.slice(before.length).map(({ meta }) => meta.changes > 0);
    });
  }

  async #found(
    tenant: string,
    table: string,
    rows: readonly BackupRow[],
  ): Promise<readonly (BackupRow | undefined)[]> {
    if (rows.length === 0) return [];
    const spec = specOf(table);
    const columns = columnsOf(spec);
    const keys = rows.map((row) => spec.key.map((column) => row[column] ?? null));
    const sql = `SELECT ${list(columns)} FROM "${table}" WHERE tenant = ? AND (${list(spec.key)}) IN
      (SELECT ${spec.key.map((_, at) => `value ->> ${at}`).join(", ")} FROM json_each(?))`;
    return onDatabase(async () => {
      const { results } = await this.#db.prepare(sql).bind(tenant, JSON.stringify(keys)).all();
      const byKey = new Map(
        (results as BackupRow[]).map((row) => [
          JSON.stringify(spec.key.map((column) => row[column])),
          row,
        ]),
      );
      return keys.map((key) => byKey.get(JSON.stringify(key)));
    });
  }

  async #hasMore(table: string, tenant: string, last: BackupRow): Promise<boolean> {
    const spec = specOf(table);
    const order = spec.number === undefined ? spec.key : [spec.number];
    const place = list(order);
    const row = await this.#db
      .prepare(
        `SELECT 1 FROM "${table}" WHERE tenant = ? AND (${place}) > (${order.map(() => "?").join(", ")}) ORDER BY ${place} LIMIT 1`,
      )
      .bind(tenant, ...order.map((column) => last[column] ?? null))
      .first();
    return row !== null;
  }
}

function specOf(table: string): BackupTable {
  const spec = Object.hasOwn(BACKUP_TABLES, table) ? BACKUP_TABLES[table] : undefined;
  if (spec !== undefined) return spec;
  const known = Object.keys(BACKUP_TABLES).join(", ");
  throw new EngineError(
    "not_found",
    `backups have no table ${JSON.stringify(table)}; there are: ${known}`,
  );
}

function picked(row: BackupRow, columns: readonly string[]): BackupRow {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

/** Encodes names of any script, which base64 alone does not accept. */
function cursorOf(place: readonly unknown[]): string {
  return btoa(encodeURIComponent(JSON.stringify(place)));
}

function list(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}

function placeOf(cursor: string, length: number): ReadonlyArray<string | number> {
  try {
    const place: unknown = JSON.parse(decodeURIComponent(atob(cursor)));
    const fits =
      Array.isArray(place) &&
      place.length === length &&
      place.every((value) => typeof value === "string" || typeof value === "number");
    if (fits) return place;
  } catch {
    // rejected below, like any other invalid cursor
  }
  throw new EngineError(
    "invalid_input",
    "cursor must be the nextCursor of an earlier page, got something else",
  );
}
