import { isoTime } from "../base/clock.ts";
import { pageOf } from "../runtime/page.ts";
import { Bm25Index } from "../text-search/bm25.ts";
import { queryTerms } from "../text/index.ts";
import { InMemoryVectorStores } from "../vectors/exact-vectors.ts";
import { ADOPTION_HOLDS_MS } from "./adopt-index.ts";
import { isInScope } from "./memory-path.ts";
import type { MemoryRecord, ScopeInfo } from "./memory-record.ts";
import {
  checkRecordCount,
  type ChangeResult,
  type IndexState,
  type PendingIndexing,
  type MemoryRecords,
  type MemoryStorage,
  type RecordChange,
  type RecordFilter,
  type RecordPage,
  type ScopeViewer,
  type TextMatch,
} from "./memory-records.ts";
import { FIELD_WEIGHTS, recordWords, SPEAKER_FACTOR, speakerTerms } from "./record-words.ts";
import { cursorOf, isAfter, isOwnerless, passesFilter, placeOf } from "./record-filter.ts";

type Entry = { readonly record: MemoryRecord; readonly version: number; readonly indexed: boolean };

/** Number of change names remembered to prevent a repeated change. */
const MAX_OPS = 10_000;

/** Records in this process, lost when it ends. */
export class InMemoryRecords implements MemoryRecords {
  readonly #entries = new Map<string, Entry>();
  readonly #text = new Bm25Index({
    weights: [FIELD_WEIGHTS.own, FIELD_WEIGHTS.near, FIELD_WEIGHTS.about, 0],
    rarity: "fts5",
  });
  /** Ids of the records with a neighbour, by the id of the neighbour. */
  readonly #beside = new Map<string, Set<string>>();
  readonly #byContent = new Map<string, Set<string>>();
  readonly #stale = new Set<string>();
  readonly #ops = new Map<string, ChangeResult>();
  #seq = 0;
  #index: { made: string; sinceMs: number; isPending: boolean } | undefined;

  async get(ids: readonly string[]): Promise<readonly MemoryRecord[]> {
    checkRecordCount("ids", ids.length);
    return ids.flatMap((id) => this.#entries.get(id)?.record ?? []);
  }

  async list(
    filter: RecordFilter,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<RecordPage> {
    checkRecordCount("limit", limit);
    const place = cursor === undefined ? undefined : placeOf(cursor);
    const rest = this.#passing(filter)
      .toSorted(newestFirst)
      .filter((record) => place === undefined || isAfter(record, place));
    return pageOf(rest, limit, { item: (record) => record, cursor: cursorOf });
  }

  async searchText(
    query: string,
    { limit, filter }: { readonly limit: number; readonly filter: RecordFilter },
  ): Promise<readonly TextMatch[]> {
    const terms = new Set(queryTerms(query));
    const recordOf = (id: string): MemoryRecord | undefined => this.#entries.get(id)?.record;
    const ranked = this.#text.rank([...terms], {
      limit,
      passes: (id) => {
        const record = recordOf(id);
        return record !== undefined && passesFilter(record, filter);
      },
      factor: (id) =>
        speakerTerms(recordOf(id) ?? {}).some((term) => terms.has(term)) ? SPEAKER_FACTOR : 1,
    });
    return ranked.flatMap(([id, score]) => {
      const record = recordOf(id);
      return record === undefined ? [] : [{ record, score }];
    });
  }

  async lastOf(conversation: string, limit: number): Promise<readonly MemoryRecord[]> {
    const records = Array.from(this.#entries.values(), ({ record }) => record);
    return records
      .filter((record) => record.conversation === conversation)
      .toReversed()
      .slice(0, limit);
  }

  async renewWords(): Promise<number> {
    return 0; // every record has words of the present version
  }

  async count(filter: RecordFilter): Promise<number> {
    return this.#passing(filter).length;
  }

  async info(scope: string, viewer: ScopeViewer = {}): Promise<ScopeInfo> {
    const records = this.#passing({ ...viewer, scope });
    const times = records.map(({ createdAt }) => createdAt).toSorted();
    const [oldestRecord, newestRecord] = [times[0], times.at(-1)];
    const depth = scope === "/" ? 1 : scope.split("/").length;
    const children = records
      .map((record) => record.scope.split("/"))
      .filter((parts) => parts.length > depth && parts[depth] !== "")
      .map((parts) => parts.slice(0, depth + 1).join("/"));
    return {
      path: scope,
      recordCount: records.length,
      categories: sorted(records.flatMap(({ categories }) => categories)),
      ...(oldestRecord === undefined ? undefined : { oldestRecord }),
      ...(newestRecord === undefined ? undefined : { newestRecord }),
      childScopes: sorted(children),
    };
  }

  async scopes(
    scope: string,
    limit: number,
    viewer: ScopeViewer = {},
  ): Promise<readonly { readonly scope: string; readonly count: number }[]> {
    const counts = new Map<string, number>();
    for (const record of this.#passing({ ...viewer, scope }))
      counts.set(record.scope, (counts.get(record.scope) ?? 0) + 1);
    return sorted(counts.keys())
      .slice(0, limit)
      .map((path) => ({ scope: path, count: counts.get(path) ?? 0 }));
  }

  async categories(
    scope: string,
    viewer: ScopeViewer = {},
  ): Promise<Readonly<Record<string, number>>> {
    const counts = new Map<string, number>();
    for (const { categories } of this.#passing({ ...viewer, scope }))
      for (const category of new Set(categories))
        counts.set(category, (counts.get(category) ?? 0) + 1);
    return Object.fromEntries(sorted(counts.keys()).map((name) => [name, counts.get(name) ?? 0]));
  }

  async mark(): Promise<number> {
    return this.#seq;
  }

  async apply(change: RecordChange): Promise<ChangeResult> {
    const known = this.#ops.get(change.op);
    if (known !== undefined) return known;
    const { since, needs = [], deletes = [], updates = [], inserts = [] } = change;
    checkRecordCount("records", deletes.length + updates.length + inserts.length);
    const isConflict =
      needs.some((id) => !this.#entries.has(id)) ||
      (since !== undefined &&
        [...this.#entries.values()].some(
          ({ record, version }) => version > since.mark && isInScope(record.scope, since.scope),
        ));
    const result: ChangeResult = isConflict
      ? { state: "conflict" }
      : { state: "done", version: ++this.#seq };
    if (result.state === "done") {
      for (const id of deletes) this.#delete(id);
      for (const record of updates) {
        const entry = this.#entries.get(record.id);
        if (entry) this.#put(record, result.version, entry.indexed && isSame(entry.record, record));
      }
      const fresh = inserts.filter(
        (record) => !this.#entries.has(record.id) && !this.#hasEqual(record),
      );
      for (const record of fresh) this.#put(record, result.version, false);
      for (const { id } of [...updates, ...fresh]) this.#setWords(id);
    }
    this.#note(change.op, result);
    return result;
  }

  async deleteWhere(filter: RecordFilter, { op }: Pick<RecordChange, "op">): Promise<number> {
    const known = this.#ops.get(op);
    if (known !== undefined) return known.state === "done" ? known.version : 0;
    const records = this.#passing(filter);
    for (const { id } of records) this.#delete(id);
    this.#note(op, { state: "done", version: records.length });
    return records.length;
  }

  async touch(ids: readonly string[], atMs: number): Promise<void> {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      this.#entries.set(id, { ...entry, record: { ...entry.record, lastAccessed: isoTime(atMs) } });
    }
  }

  async pendingIndexing(
    { scope, ids }: Pick<RecordFilter, "scope" | "ids">,
    limit: number,
    skip = 0,
  ): Promise<PendingIndexing> {
    const missing = [...this.#entries.values()]
      .filter(({ record, indexed }) => !indexed && passesFilter(record, { scope, ids }))
      .toSorted((one, other) => one.version - other.version)
      .slice(skip, skip + limit)
      .map(({ record, version }) => ({ record, version }));
    return { missing, stale: [...this.#stale].slice(0, limit) };
  }

  async indexed(ids: readonly string[], version: number, made?: string): Promise<void> {
    if (this.#index !== undefined && made !== undefined && this.#index.made !== made) return;
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry?.version === version) this.#entries.set(id, { ...entry, indexed: true });
    }
  }

  async unindexed(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#stale.delete(id);
  }

  async unindexAll(): Promise<void> {
    for (const [id, entry] of this.#entries) this.#entries.set(id, { ...entry, indexed: false });
  }

  async adoptIndex(made: string, atMs: number): Promise<boolean> {
    const { made: owner, sinceMs = Number.NEGATIVE_INFINITY } = this.#index ?? {};
    if (owner === made) return true;
    if (sinceMs > atMs - ADOPTION_HOLDS_MS) return false;
    this.#index = { made, sinceMs: atMs, isPending: true };
    await this.unindexAll();
    return true;
  }

  async settleIndex(): Promise<void> {
    if (this.#index !== undefined) this.#index = { ...this.#index, isPending: false };
  }

  async releaseIndex(): Promise<void> {
    this.#index = undefined;
  }

  async indexState(): Promise<IndexState> {
    const { made, isPending = false } = this.#index ?? {};
    const entries = [...this.#entries.values()];
    const missing = entries.filter(({ indexed }) => !indexed).length;
    const owner = made === undefined ? undefined : { made };
    return { records: entries.length, missing, ...owner, isPending };
  }

  #note(op: string, result: ChangeResult): void {
    if (this.#ops.size >= MAX_OPS) this.#ops.delete(this.#ops.keys().next().value ?? "");
    this.#ops.set(op, result);
  }

  #passing(filter: RecordFilter): MemoryRecord[] {
    const { contents } = filter;
    const entries =
      contents === undefined
        ? [...this.#entries.values()]
        : contents
            .flatMap((content) => [...(this.#byContent.get(content) ?? [])])
            .flatMap((id) => this.#entries.get(id) ?? []);
    return entries.map(({ record }) => record).filter((record) => passesFilter(record, filter));
  }

  #hasEqual(record: MemoryRecord): boolean {
    const ids = this.#byContent.get(record.content) ?? [];
    return Array.from(ids).some((id) => {
      const known = this.#entries.get(id)?.record;
      return known !== undefined && isSame(known, record) && !isOwnerless(known);
    });
  }

  #put(record: MemoryRecord, version: number, indexed: boolean): void {
    this.#forgetContent(record.id);
    this.#entries.set(record.id, { record, version, indexed });
    const ids = this.#byContent.get(record.content);
    if (ids === undefined) this.#byContent.set(record.content, new Set([record.id]));
    else ids.add(record.id);
    this.#stale.delete(record.id);
  }

  #delete(id: string): void {
    this.#forgetContent(id);
    if (!this.#entries.delete(id)) return;
    this.#text.delete(id);
    this.#stale.add(id);
    for (const other of this.#beside.get(id) ?? []) this.#setWords(other);
    this.#beside.delete(id);
  }

  /** Sets the full text of a record (RWD1). The last field has the length of its place, as in D1. */
  #setWords(id: string): void {
    const record = this.#entries.get(id)?.record;
    if (record === undefined) return;
    const { neighbours = [], scope } = record;
    for (const neighbour of neighbours) {
      const beside = this.#beside.get(neighbour);
      if (beside === undefined) this.#beside.set(neighbour, new Set([id]));
      else beside.add(id);
    }
    const around = neighbours.flatMap((each) => this.#entries.get(each)?.record.content ?? []);
    const { own, near, about } = recordWords(record, around);
    this.#text.setTerms(id, [
      own,
      near,
      about,
      scope.split("/").filter((name, at) => at === 0 || name !== ""),
    ]);
  }

  #forgetContent(id: string): void {
    const content = this.#entries.get(id)?.record.content ?? "";
    const ids = this.#byContent.get(content);
    ids?.delete(id);
    if (ids?.size === 0) this.#byContent.delete(content);
  }
}

/** Creates a storage in this process, shared by all memories made with it. */
export function inMemoryStorage(): MemoryStorage {
  return { tenant: "local", records: new InMemoryRecords(), vectors: new InMemoryVectorStores() };
}

/** True if the fields known to the index are equal, so the two records count as one (MR7). */
function isSame(one: MemoryRecord, other: MemoryRecord): boolean {
  return (
    one.content === other.content &&
    one.scope === other.scope &&
    one.source === other.source &&
    one.private === other.private
  );
}

function newestFirst(one: MemoryRecord, other: MemoryRecord): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted();
}
