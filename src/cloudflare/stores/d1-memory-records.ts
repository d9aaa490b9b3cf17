// Records of one tenant in D1. Rules: src/memory/memory-records.ts.
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
  TextMatch,
} from "../../memory/memory-records.ts";
import { checkRecordCount, MAX_RECORDS_PER_CALL } from "../../memory/memory-records.ts";
import { cursorOf, placeOf } from "../../memory/record-filter.ts";
import { pageOf } from "../../runtime/page.ts";
import { onDatabase, type BatchDatabase, type Statement } from "../d1.ts";
import { indexStateOf, MemoryIndexSql } from "./memory-index-rows.ts";
import { changeStatements, deletionStatements, outcomeOf } from "./memory-changes.ts";
import { recordsWhere, type Sql } from "./memory-conditions.ts";
import { COLUMNS, toRecord, type MemoryRow } from "./memory-rows.ts";
import {
  absentNeighbours,
  OLD_WORDS,
  renewWords,
  searchOldText,
  searchWords,
} from "./memory-words.ts";

type FoundRow = MemoryRow & { readonly score: number };

const MAX_LISTED = 1000;

export class D1MemoryRecords implements MemoryRecords {
  readonly #db: BatchDatabase;
  readonly #tenant: string;
  readonly #index: MemoryIndexSql;
  readonly #quotas: Pick<QuotaGate, "admit"> | undefined;
  /** Undefined until the first search. */
  #hasOldWords: boolean | undefined;

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
    { limit, filter }: { readonly limit: number; readonly filter: RecordFilter },
  ): Promise<readonly TextMatch[]> {
    const where = this.#where(filter);
    const search = searchWords(this.#tenant, query, { limit, filter, where });
    if (search === undefined) return [];
    const [found = [], old = []] = await this.#batch([
      search,
      ...(this.#hasOldWords === false ? [] : [this.#oldWords(1)]),
    ]);
    this.#hasOldWords = old.length > 0;
    const matches = found as readonly FoundRow[];
    const older = this.#hasOldWords
      ? searchOldText(this.#tenant, query, { limit, where })
      : undefined;
    const others = older === undefined ? [] : await this.#all<FoundRow>(older);
    return [...matches, ...others]
      .toSorted((one, other) => other.score - one.score)
      .slice(0, limit)
      .map((row) => ({ record: toRecord(row), score: row.score }));
  }

  async lastOf(conversation: string, limit: number): Promise<readonly MemoryRecord[]> {
    const rows = await this.#all<MemoryRow>({
      text: `SELECT ${COLUMNS} FROM memories m WHERE m.tenant = ? AND m.conversation = ? ORDER BY m.row DESC LIMIT ?`,
      values: [this.#tenant, conversation, limit],
    });
    return rows.map(toRecord);
  }

  async renewWords(limit: number): Promise<number> {
    checkRecordCount("limit", limit);
    const rows = await this.#all<MemoryRow>(this.#oldWords(limit));
    if (rows.length === 0) return 0;
    const records = rows.map(toRecord);
    const others = await this.#absent(records);
    await this.#batch(renewWords(this.#tenant, records, others));
    return records.length;
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
    const { deletes = [], updates = [], inserts = [] } = change;
    checkRecordCount("records", deletes.length + updates.length + inserts.length);
    if (this.#quotas !== undefined && inserts.length > 0) {
      const there = await this.get(inserts.map(({ id }) => id)); // a repeated change adds no records
      const added = inserts.length - there.length;
      if (added > 0) await this.#quotas.admit("memoryRecords", added);
    }
    const written = [...updates, ...inserts];
    const around = await this.#absent(written);
    const rows = await this.#batch(changeStatements(this.#tenant, change, around));
    const { state, result } = outcomeOf(rows);
    return state === "conflict" ? { state } : { state: "done", version: result };
  }

  async deleteWhere(
    filter: RecordFilter,
    { op, atMs }: Pick<RecordChange, "op" | "atMs">,
  ): Promise<number> {
    const where = this.#where(filter);
    const rows = await this.#batch(deletionStatements(this.#tenant, { op, atMs, where }));
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

  #oldWords(limit: number): Sql {
    return {
      text: `SELECT ${COLUMNS} FROM memories m WHERE m.tenant = ? AND ${OLD_WORDS} LIMIT ?`,
      values: [this.#tenant, limit],
    };
  }

  /** Returns the neighbours of records that are not among them. */
  #absent(records: readonly MemoryRecord[]): Promise<readonly MemoryRecord[]> {
    return this.get(absentNeighbours(records).slice(0, MAX_RECORDS_PER_CALL));
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
