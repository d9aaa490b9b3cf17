// Store of memory records, the source of truth. The vectors are an index of it.
//
//   MR1. A record passes a filter if all its conditions hold. Scopes are exact (MP1). Categories match if one of them
//        does, metadata if every field is equal.
//   MR2. `apply` is one transaction: it makes the whole change or no change. A repeated `op` changes no further records
//        and returns the first result.
//   MR3. A change with `since` is a `conflict`, without effect, if the scope had a later write.
//   MR4. A change of text, scope or owner marks a record as unindexed until `indexed` is called for the new version. A
//        deleted record is stale in the index until `unindexed`. So a crash between the writes of records and vectors
//        leaves a trace.
//   MR5. Lists are newest first and paged in the query.
//   MR6. A store belongs to one tenant. No filter reaches another tenant.
//   MR7. An insert is skipped if its text is stored already with the same scope, source and privacy, or if its id is
//        known. A private text without a source is never skipped for its text. A change is a `conflict`, without effect,
//        if records it needs are gone.
//   MR8. A deleted text is no longer found through its neighbours, whose context it was, once `renewWords` has run.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { MemoryRecord, ScopeInfo } from "./memory-record.ts";

/** Conditions a record must all meet. An empty filter matches every record of the tenant. */
export type RecordFilter = {
  /** This scope and the scopes below it. */
  readonly scope?: string | undefined;
  /** Any of them. */
  readonly categories?: readonly string[] | undefined;
  /** Fields the metadata must equal, all of them. */
  readonly metadata?: JsonObject | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Any of these exact texts; at most 500,000 characters. */
  readonly contents?: readonly string[] | undefined;
  /** Created before this time; milliseconds since the epoch. */
  readonly beforeMs?: number | undefined;
  /** Created at or after this time; milliseconds since the epoch. */
  readonly fromMs?: number | undefined;
  /**
   * Source of the viewer: matches records that are not private and the private ones of this source. Null is a viewer
   * without a source, and matches no private record: one without a source is visible to no viewer.
   */
  readonly visibleTo?: string | null | undefined;
};

/** Viewer of the paths, categories and counts of a scope. @default all records count */
export type ScopeViewer = Pick<RecordFilter, "visibleTo">;

export type RecordPage = {
  readonly items: readonly MemoryRecord[];
  /** Cursor of the next page; absent on the last. */
  readonly nextCursor?: string;
};

/** Record found by its words. */
export type TextMatch = {
  readonly record: MemoryRecord;
  /** Score by BM25 over the fields of `recordWords`. It compares records of one search alone. */
  readonly score: number;
};

/** Record and the version of its last write. */
type IndexEntry = { readonly record: MemoryRecord; readonly version: number };

/** Changes still missing from the index. */
export type PendingIndexing = {
  /** Records without a vector or with the vector of an earlier version. */
  readonly missing: readonly IndexEntry[];
  /** Ids of deleted records with a vector possibly left. */
  readonly stale: readonly string[];
};

export type RecordChange = {
  /** Name of the change. A change of the same name is made only once. */
  readonly op: string;
  readonly atMs: number;
  /** The `mark()` on which the change is based, and the scope it was planned for (MR3). */
  readonly since?: { readonly mark: number; readonly scope: string } | undefined;
  /** Ids of records that must exist (MR7). */
  readonly needs?: readonly string[];
  readonly deletes?: readonly string[];
  /** Whole records. Records already deleted stay deleted. */
  readonly updates?: readonly MemoryRecord[];
  /** New records. Those stored already are skipped (MR7). */
  readonly inserts?: readonly MemoryRecord[];
};

/** Result of a change; `version` is the one to pass to `indexed`. */
export type ChangeResult =
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly version: number };

/** The records of one tenant. */
export interface MemoryRecords {
  /** Returns the existing records in the order of the ids. At most 1000 ids. */
  get(ids: readonly string[]): Promise<readonly MemoryRecord[]>;
  /** Returns a page of records, newest first (MR5). At most 1000. */
  list(
    filter: RecordFilter,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<RecordPage>;
  /**
   * Returns the records with words of the query in their text or context, best first. Records written by an earlier
   * version are found by their own text until `renewWords` has rewritten them.
   */
  searchText(
    query: string,
    options: { readonly limit: number; readonly filter: RecordFilter },
  ): Promise<readonly TextMatch[]>;
  /** Returns the records of a conversation, the last written first. */
  lastOf(conversation: string, limit: number): Promise<readonly MemoryRecord[]>;
  /** Rewrites outdated full text of at most `limit` records. Returns their number. */
  renewWords(limit: number): Promise<number>;
  count(filter: RecordFilter): Promise<number>;
  info(scope: string, viewer?: ScopeViewer): Promise<ScopeInfo>;
  /**
   * Returns the paths with records, at or below `scope`, and the number of records exactly at each. Sorted
   * alphabetically, at most `limit`.
   */
  scopes(
    scope: string,
    limit: number,
    viewer?: ScopeViewer,
  ): Promise<readonly { readonly scope: string; readonly count: number }[]>;
  /** Returns the number of records for each category. */
  categories(scope: string, viewer?: ScopeViewer): Promise<Readonly<Record<string, number>>>;
  /** Returns the current position in the order of writes, for `since`. */
  mark(): Promise<number>;
  apply(change: RecordChange): Promise<ChangeResult>;
  /**
   * Deletes the records passing the filter and returns their number. A repeated `op` deletes no further records and
   * returns the first number (MR2).
   */
  deleteWhere(filter: RecordFilter, op: Pick<RecordChange, "op" | "atMs">): Promise<number>;
  /** Sets the time of the last recall. */
  touch(ids: readonly string[], atMs: number): Promise<void>;
  /** Returns changes still missing from the index (MR4), oldest first, without the first `skip` records. */
  pendingIndexing(
    filter: Pick<RecordFilter, "scope" | "ids">,
    limit: number,
    skip?: number,
  ): Promise<PendingIndexing>;
  /**
   * Marks records as indexed at `version`, with vectors of `made`: no effect once the index belongs to another embedder.
   */
  indexed(ids: readonly string[], version: number, made?: string): Promise<void>;
  /** Notes the removal of records from the index. */
  unindexed(ids: readonly string[]): Promise<void>;
  /** Marks every record as unindexed, so its vector is made again. */
  unindexAll(): Promise<void>;
  /**
   * Gives the index to the vectors of `made`, and marks every record as unindexed, in one transaction. No effect if it
   * has the index already. Returns false if another one has taken it in the last ten minutes. @default the embedder
   * cannot change
   */
  adoptIndex?(made: string, atMs: number): Promise<boolean>;
  /** Ends the adoption: every record has a vector, except those that cannot have one. */
  settleIndex?(): Promise<void>;
  /** Forgets the owner of the index, so any embedder may have it. */
  releaseIndex?(): Promise<void>;
  indexState?(): Promise<IndexState>;
}

/** State of the vector index. */
export type IndexState = {
  readonly records: number;
  /** Number of records without a vector. */
  readonly missing: number;
  /** Model and dimension of the vectors after a change of the embedder. */
  readonly made?: string;
  /** True from a change of the embedder until its end. */
  readonly isPending: boolean;
};

/** Storage of one tenant's memory. */
export type MemoryStorage = {
  readonly tenant: string;
  readonly records: MemoryRecords;
  readonly vectors: VectorStores;
};

/** Maximum number of ids in one call and rows in one page. */
export const MAX_RECORDS_PER_CALL = 1000;

/** Fails with `limit_exceeded` above the maximum. */
export function checkRecordCount(name: string, count: number): void {
  if (Number.isInteger(count) && count >= 0 && count <= MAX_RECORDS_PER_CALL) return;
  throw new EngineError(
    "limit_exceeded",
    `${name} must be at most ${MAX_RECORDS_PER_CALL} in one call, got ${count}`,
  );
}
