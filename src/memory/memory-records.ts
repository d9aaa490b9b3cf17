// Where records are kept: the truth about what is remembered. Vectors are an index beside it.
//
//   MR1. All that a filter names must hold. Scopes are exact (MP1); categories match when one of them does, metadata
//        when every field is equal.
//   MR2. `apply` is one transaction: all of a change is kept, or nothing. The same `op` again changes nothing more, and
//        answers what it answered.
//   MR3. A change with `since` that something else in that scope came before is a `conflict`, and changes nothing.
//   MR4. A record whose text, scope or owner changed is unindexed until `indexed` is called for that version of it; one that
//        is deleted is stale in the index until `unindexed`. So a crash between records and vectors leaves a trace.
//   MR5. Lists are newest first, in the query, page by page.
//   MR6. A store is one tenant's. No filter reaches beyond it.
//   MR7. An insert whose text is there already, at the same scope, of the same source and privacy, is passed over. So is one whose id is
//        known. A change that needs records which are gone is a `conflict`, and changes nothing.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { MemoryRecord, ScopeInfo } from "./memory-record.ts";

/** All that is named must hold; an empty filter is everything of the tenant. */
export type RecordFilter = {
  /** This scope and those below it. */
  readonly scope?: string | undefined;
  /** Any of them. */
  readonly categories?: readonly string[] | undefined;
  /** All of these fields, equal. */
  readonly metadata?: JsonObject | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Any of these very texts; at most 500,000 characters. */
  readonly contents?: readonly string[] | undefined;
  /** Made before; milliseconds since the epoch. */
  readonly beforeMs?: number | undefined;
  /** Made at or after. */
  readonly fromMs?: number | undefined;
  /** Who asks: records that are not private, and the private ones of this source. With null, the private ones without a source. */
  readonly visibleTo?: string | null | undefined;
};

export type RecordPage = {
  readonly items: readonly MemoryRecord[];
  /** For the next page; absent on the last. */
  readonly nextCursor?: string;
};

/** A record, and which writing of it this is. */
type IndexEntry = { readonly record: MemoryRecord; readonly version: number };

/** What the index does not reflect yet. */
export type PendingIndexing = {
  /** Records whose vectors are not there, or of an earlier version. */
  readonly missing: readonly IndexEntry[];
  /** Ids of deleted records whose vectors may still be there. */
  readonly stale: readonly string[];
};

export type RecordChange = {
  /** Names the change: the same one again is not made twice. */
  readonly op: string;
  readonly atMs: number;
  /** The place of `mark()` that the change was thought out at, and the scope that it was thought out for (MR3). */
  readonly since?: { readonly mark: number; readonly scope: string } | undefined;
  /** Records that must be there (MR7). */
  readonly needs?: readonly string[];
  readonly deletes?: readonly string[];
  /** Whole records; those that are gone stay so. */
  readonly updates?: readonly MemoryRecord[];
  /** What is there already is passed over (MR7). */
  readonly inserts?: readonly MemoryRecord[];
};

/** With what was written, for `indexed`. */
export type ChangeResult =
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly version: number };

/** The records of one tenant. */
export interface MemoryRecords {
  /** Those that are there, in the order of the ids. At most 1000 ids. */
  get(ids: readonly string[]): Promise<readonly MemoryRecord[]>;
  /** Newest first (MR5). At most 1000. */
  list(
    filter: RecordFilter,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<RecordPage>;
  /** Ids of the records whose text has words of the query, best first. */
  searchText(query: string, options: { limit: number; filter: RecordFilter }): Promise<string[]>;
  count(filter: RecordFilter): Promise<number>;
  info(scope: string): Promise<ScopeInfo>;
  /** Every path that has records, at or below `scope`, with how many lie exactly there. In the order of the alphabet, at most `limit`. */
  scopes(
    scope: string,
    limit: number,
  ): Promise<readonly { readonly scope: string; readonly count: number }[]>;
  /** How many records have each category. */
  categories(scope: string): Promise<Readonly<Record<string, number>>>;
  /** Where the order of writes stands; for `since`. */
  mark(): Promise<number>;
  apply(change: RecordChange): Promise<ChangeResult>;
  /** Deletes what passes the filter; answers how many. The same `op` again deletes nothing more, and answers the same (MR2). */
  deleteWhere(filter: RecordFilter, op: Pick<RecordChange, "op" | "atMs">): Promise<number>;
  /** Notes that records were recalled. */
  touch(ids: readonly string[], atMs: number): Promise<void>;
  /** What the index does not reflect yet (MR4), the oldest first. */
  pendingIndexing(
    filter: Pick<RecordFilter, "scope" | "ids">,
    limit: number,
  ): Promise<PendingIndexing>;
  /** The index has these records as they were at `version`. */
  indexed(ids: readonly string[], version: number): Promise<void>;
  /** The index has these no more. */
  unindexed(ids: readonly string[]): Promise<void>;
  /** Every record is unindexed again: its vectors are to be made anew. */
  unindexAll(): Promise<void>;
}

/** Where one tenant's memory is kept. */
export type MemoryStorage = {
  readonly tenant: string;
  readonly records: MemoryRecords;
  readonly vectors: VectorStores;
};

/** Ids of one call, rows of one page. */
export const MAX_RECORDS_PER_CALL = 1000;

/** Throws `limit_exceeded`. */
export function checkRecordCount(name: string, count: number): void {
  if (Number.isInteger(count) && count >= 0 && count <= MAX_RECORDS_PER_CALL) return;
  throw new EngineError(
    "limit_exceeded",
    `${name} must be at most ${MAX_RECORDS_PER_CALL} in one call, got ${count}`,
  );
}
