// Records of one tenant in D1. Rules: src/memory/memory-records.ts.
//
// A change is one batch, which D1 runs as one transaction. The first statement notes the name of the change and decides
// if it is open. The other statements take effect only if it is.
import type { QuotaGate } from "../../parts/quota-gate.ts";
import { isoTime } from "../../base/clock.ts";
import type { MemoryRecord, ScopeInfo } from "../../memory/memory-record.ts";
import type {
  ChangeResult,
  IndexState,
  PendingIndexing,
  MemoryRecords,
  RecordChange,
  RecordFilter,
  RecordPage,
  ScopeViewer,
} from "../../memory/memory-records.ts";
import { checkRecordCount, MAX_RECORDS_PER_CALL } from "../../memory/memory-records.ts";
import { cursorOf, placeOf } from "../../memory/record-filter.ts";
import { pageOf } from "../../runtime/page.ts";
import { queryWords } from "../../text/index.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";
import { indexStateOf, MemoryIndexSql } from "./memory-index-rows.ts";
import {
  recordsWhere,
  scopeCondition,
  tenantWord,
  type Bound,
  type Sql,
} from "./memory-conditions.ts";
import {
  COLUMNS,
  inJson,
  INSERT_ROWS,
  IS_OPEN,
  outcomeOf,
  toRecord,
  UPDATE_ROWS,
  type MemoryRow,
} from "./memory-rows.ts";

/** Lifetime of the names of changes. */
const OP_LIFETIME_MS = 90 * 86_400_000;
const MAX_QUERY_WORDS = 64;
const MAX_LISTED = 1000;

export class D1MemoryRecords implements MemoryRecords {
  readonly #db: BatchDatabase;
  readonly #tenant: string;
  readonly #index: MemoryIndexSql;
  readonly #quotas: Pick<QuotaGate, "admit"> | undefined;

  constructor(db: BatchDatabase, tenant: string, quotas?: Pick<QuotaGate, "admit">) {
    this.#quotas = quotas;
    this.#db = db;
    this.#tenant = tenant;
    this.#index = new MemoryIndexSql(tenant);
  }

  async get(ids: readonly string[]): Promise<readonly MemoryRecord[]> {
    checkRecordCount("ids", ids.length);
    if (ids.length === 0) return [];
    const rows = await this.#rows({ filter: { ids } });
    const byId = new Map(rows.map((row) => [row.id, toRecord(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async list(
    filter: RecordFilter,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<RecordPage> {
    checkRecordCount("limit", limit);
    const place = cursor === undefined ? undefined : placeOf(cursor);
    const rows = await this.#rows({
      filter,
      ...(place && {
        more: { text: " AND (m.created_at, m.id) < (?, ?)", values: [place.createdAtMs, place.id] },
      }),
      order: "m.created_at DESC, m.id DESC",
      limit: limit + 1,
    });
    return pageOf(rows.map(toRecord), limit, { item: (record) => record, cursor: cursorOf });
  }

  async searchText(
    query: string,
    { limit, filter }: { limit: number; filter: RecordFilter },
  ): Promise<string[]> {
    const words = queryWords(query).slice(0, MAX_QUERY_WORDS);
    if (words.length === 0) return [];
    const match = `tenant : "${tenantWord(this.#tenant)}" AND content : (${words.map((word) => `"${word}"`).join(" OR ")})`;
    const where = this.#where(filter);
    const rows = await this.#all<{ id: string }>({
      text: `SELECT m.id FROM memory_text JOIN memories m ON m.row = memory_text.rowid
        WHERE memory_text MATCH ? AND ${where.text} ORDER BY bm25(memory_text, 0.0, 1.0), m.id LIMIT ?`,
      values: [match, ...where.values, limit],
    });
    return rows.map(({ id }) => id);
  }

  async count(filter: RecordFilter): Promise<number> {
    const where = this.#where(filter);
    const [row] = await this.#all<{ n: number }>({
      text: `SELECT count(*) AS n FROM memories m WHERE ${where.text}`,
      values: where.values,
    });
    return row?.n ?? 0;
  }

  async info(scope: string, viewer: ScopeViewer = {}): Promise<ScopeInfo> {
    const where = this.#where({ ...viewer, scope });
    const prefix = scope === "/" ? "/" : `${scope}/`;
    const length = Array.from(prefix).length; // counts characters like SQLite
    const rest = `substr(m.scope, ${length + 1})`;
    const [totals, categories, children] = await this.#batch([
      {
        text: `SELECT count(*) AS n, min(m.created_at) AS oldest, max(m.created_at) AS newest FROM memories m WHERE ${where.text}`,
        values: where.values,
      },
      {
        text: `SELECT DISTINCT c.value AS name FROM memories m, json_each(m.categories) c WHERE ${where.text} ORDER BY name LIMIT ${MAX_LISTED}`,
        values: where.values,
      },
      {
        text: `SELECT DISTINCT substr(${rest}, 1, instr(${rest} || '/', '/') - 1) AS name FROM memories m
          WHERE ${where.text} AND length(m.scope) > ? ORDER BY name LIMIT ${MAX_LISTED}`,
        values: [...where.values, length],
      },
    ]);
    const { n, oldest, newest } = (totals?.[0] ?? {}) as Record<string, number | null>;
    return {
      path: scope,
      recordCount: n ?? 0,
      categories: namesOf(categories),
      ...(typeof oldest === "number" ? { oldestRecord: isoTime(oldest) } : undefined),
      ...(typeof newest === "number" ? { newestRecord: isoTime(newest) } : undefined),
      childScopes: namesOf(children).map((name) => `${prefix}${name}`),
    };
  }

  scopes(
    scope: string,
    limit: number,
    viewer: ScopeViewer = {},
  ): Promise<readonly { readonly scope: string; readonly count: number }[]> {
    const where = this.#where({ ...viewer, scope });
    return this.#all<{ scope: string; count: number }>({
      text: `SELECT m.scope, count(*) AS count FROM memories m WHERE ${where.text} GROUP BY m.scope ORDER BY m.scope LIMIT ?`,
      values: [...where.values, limit],
    });
  }

  async categories(
    scope: string,
    viewer: ScopeViewer = {},
  ): Promise<Readonly<Record<string, number>>> {
    const where = this.#where({ ...viewer, scope });
    const rows = await this.#all<{ name: string; count: number }>({
      text: `SELECT c.value AS name, count(DISTINCT m.row) AS count FROM memories m, json_each(m.categories) c
        WHERE ${where.text} GROUP BY name ORDER BY name LIMIT ${MAX_LISTED}`,
      values: where.values,
    });
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  }

  async mark(): Promise<number> {
    const [row] = await this.#all<{ seq: number }>({
      text: "SELECT seq FROM memory_state WHERE tenant = ?",
      values: [this.#tenant],
    });
    return row?.seq ?? 0;
  }

  async apply(change: RecordChange): Promise<ChangeResult> {
    const { op, atMs, since, needs = [], deletes = [], updates = [], inserts = [] } = change;
    checkRecordCount("records", deletes.length + updates.length + inserts.length);
    if (this.#quotas !== undefined && inserts.length > 0) {
      const there = await this.get(inserts.map(({ id }) => id)); // a repeated change adds no records
      const added = inserts.length - there.length;
      if (added > 0) await this.#quotas.admit("memoryRecords", added);
    }
    const named: readonly Bound[] = [this.#tenant, op];
    const before = since === undefined ? undefined : scopeCondition(since.scope);
    const isOvertaken =
      before === undefined
        ? "0"
        : `EXISTS (SELECT 1 FROM memories m WHERE m.tenant = ? AND m.version > ? AND ${before.text})`;
    const areThere =
      "(SELECT count(*) FROM memories m WHERE m.tenant = ? AND m.id IN (SELECT value FROM json_each(?)))";
    const isConflict = `${isOvertaken} OR ${areThere} < ?`;
    const rows = await this.#batch([
      {
        text: "INSERT OR IGNORE INTO memory_state (tenant, seq) VALUES (?, 0)",
        values: [this.#tenant],
      },
      {
        text: `INSERT OR IGNORE INTO memory_writes (tenant, op, state, result, at) SELECT ?, ?, CASE WHEN ${isConflict} THEN 'conflict' ELSE 'open' END, 0, ?`,
        values: [
          ...named,
          ...(before === undefined ? [] : [this.#tenant, since?.mark ?? 0, ...before.values]),
          this.#tenant,
          JSON.stringify(needs),
          new Set(needs).size,
          atMs,
        ],
      },
      {
        text: `UPDATE memory_state SET seq = seq + 1 WHERE tenant = ?1 AND ${IS_OPEN}`,
        values: named,
      },
      ...(deletes.length === 0
        ? []
        : [
            {
              text: `DELETE FROM memories WHERE tenant = ?1 AND id IN (SELECT value FROM json_each(?3)) AND ${IS_OPEN}`,
              values: [...named, JSON.stringify(deletes)],
            },
          ]),
      ...inJson(updates).map((json) => ({ text: UPDATE_ROWS, values: [...named, json] })),
      ...inJson(inserts).map((json) => ({ text: INSERT_ROWS, values: [...named, json] })),
      {
        text: `UPDATE memory_writes SET state = 'done', result = (SELECT seq FROM memory_state WHERE tenant = ?1) WHERE tenant = ?1 AND op = ?2 AND state = 'open'`,
        values: named,
      },
      ...this.#outcome(op, atMs),
    ]);
    const { state, result } = outcomeOf(rows);
    return state === "conflict" ? { state } : { state: "done", version: result };
  }

  async deleteWhere(
    filter: RecordFilter,
    { op, atMs }: Pick<RecordChange, "op" | "atMs">,
  ): Promise<number> {
    const where = this.#where(filter);
    const rows = await this.#batch([
      {
        text: `INSERT OR IGNORE INTO memory_writes (tenant, op, state, result, at)
          SELECT ?, ?, 'open', (SELECT count(*) FROM memories m WHERE ${where.text}), ?`,
        values: [this.#tenant, op, ...where.values, atMs],
      },
      {
        text: `DELETE FROM memories AS m WHERE ${where.text} AND EXISTS (SELECT 1 FROM memory_writes w WHERE w.tenant = ? AND w.op = ? AND w.state = 'open')`,
        values: [...where.values, this.#tenant, op],
      },
      {
        text: "UPDATE memory_writes SET state = 'done' WHERE tenant = ? AND op = ? AND state = 'open'",
        values: [this.#tenant, op],
      },
      ...this.#outcome(op, atMs),
    ]);
    return outcomeOf(rows).result;
  }

  async touch(ids: readonly string[], atMs: number): Promise<void> {
    checkRecordCount("ids", ids.length);
    await this.#all({
      text: "UPDATE memories SET last_accessed = ? WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
      values: [atMs, this.#tenant, JSON.stringify(ids)],
    });
  }

  async pendingIndexing(
    { scope, ids }: Pick<RecordFilter, "scope" | "ids">,
    limit: number,
    skip = 0,
  ): Promise<PendingIndexing> {
    const where = this.#where({ scope, ids });
    const [missing, stale] = await this.#batch([
      {
        text: `SELECT ${COLUMNS} FROM memories m WHERE ${where.text} AND m.indexed = 0 ORDER BY m.version, m.row LIMIT ? OFFSET ?`,
        values: [...where.values, limit, skip],
      },
      {
        text: "SELECT id FROM memory_stale WHERE tenant = ? LIMIT ?",
        values: [this.#tenant, limit],
      },
    ]);
    return {
      missing: ((missing ?? []) as MemoryRow[]).map((row) => ({
        record: toRecord(row),
        version: row.version,
      })),
      stale: ((stale ?? []) as { id: string }[]).map(({ id }) => id),
    };
  }

  async indexed(ids: readonly string[], version: number, made?: string): Promise<void> {
    checkRecordCount("ids", ids.length);
    await this.#all(this.#index.indexed(ids, version, made));
  }

  async adoptIndex(made: string, atMs: number): Promise<boolean> {
    const rows = await this.#batch(this.#index.adopt(made, atMs));
    return (rows.at(-1)?.[0] as { made?: string } | undefined)?.made === made;
  }

  async settleIndex(): Promise<void> {
    await this.#all(this.#index.settle());
  }

  async releaseIndex(): Promise<void> {
    await this.#all(this.#index.release());
  }

  async indexState(): Promise<IndexState> {
    return indexStateOf(await this.#batch(this.#index.state()));
  }

  async unindexed(ids: readonly string[]): Promise<void> {
    checkRecordCount("ids", ids.length);
    await this.#all({
      text: "DELETE FROM memory_stale WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
      values: [this.#tenant, JSON.stringify(ids)],
    });
  }

  async unindexAll(): Promise<void> {
    await this.#all({
      text: "UPDATE memories SET indexed = 0 WHERE tenant = ? AND indexed = 1",
      values: [this.#tenant],
    });
  }

  /** Reads the outcome of a change and deletes names of old changes. */
  #outcome(op: string, atMs: number): readonly Sql[] {
    return [
      {
        text: "DELETE FROM memory_writes WHERE tenant = ? AND at < ?",
        values: [this.#tenant, atMs - OP_LIFETIME_MS],
      },
      {
        text: "SELECT state, result FROM memory_writes WHERE tenant = ? AND op = ?",
        values: [this.#tenant, op],
      },
    ];
  }

  #rows(query: {
    readonly filter: RecordFilter;
    readonly more?: Sql | undefined;
    readonly order?: string;
    readonly limit?: number;
  }): Promise<readonly MemoryRow[]> {
    const { filter, more, order, limit } = query;
    const where = this.#where(filter);
    return this.#all<MemoryRow>({
      text: `SELECT ${COLUMNS} FROM memories m WHERE ${where.text}${more?.text ?? ""}${order === undefined ? "" : ` ORDER BY ${order}`} LIMIT ?`,
      values: [...where.values, ...(more?.values ?? []), limit ?? MAX_RECORDS_PER_CALL],
    });
  }

  #where(filter: RecordFilter): Sql {
    return recordsWhere(this.#tenant, filter);
  }

  #all<Result>(sql: Sql): Promise<readonly Result[]> {
    return onDatabase(async () => {
      const { results } = await this.#statement(sql).all();
      return results as readonly Result[];
    });
  }

  #batch(statements: readonly Sql[]): Promise<ReadonlyArray<readonly unknown[]>> {
    return onDatabase(async () => {
      const results = await this.#db.batch(statements.map((sql) => this.#statement(sql)));
      return results.map((result) => result.results);
    });
  }

  #statement({ text, values }: Sql): Statement {
    return this.#db.prepare(text).bind(...values);
  }
}

function namesOf(rows: readonly unknown[] = []): readonly string[] {
  return rows.map((row) => (row as { name: string }).name);
}
