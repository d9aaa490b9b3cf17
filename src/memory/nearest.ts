// Records near a vector: the matches of the index, checked against the records, and records the index lacks.
//
//   - Records are the source of truth: a match of the index counts only if its record exists and passes the whole
//     filter.
//   NR2. A save embeds the records missing from the index on the spot, so two consecutive saves see each other.
import type { VectorFilter } from "../vectors/vector-store.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import { embedNow, similarityOf } from "./embed.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { MAX_RECORDS_PER_CALL, type MemoryRecords, type RecordFilter } from "./memory-records.ts";
import type { MemoryWork } from "./memory-work.ts";
import { passesFilter } from "./record-filter.ts";

export type Near = { readonly record: MemoryRecord; readonly similarity: number };

/** Records missing from the index, with freshly made vectors. */
type Unindexed = ReadonlyArray<{
  readonly record: MemoryRecord;
  readonly vector: Float32Array | undefined;
}>;

/** Maximum number of records without a vector to embed in one search. */
export const MAX_UNINDEXED = 50;

export async function unindexedIn(
  { records, embedder }: Pick<MemoryWork, "records" | "embedder">,
  scope: string,
  signal: AbortSignal,
): Promise<Unindexed> {
  const { missing } = await records.pendingIndexing({ scope }, MAX_UNINDEXED);
  if (missing.length === 0) return [];
  const contents = missing.map(({ record }) => record.content);
  let vectors: ReadonlyArray<Float32Array | undefined> = [];
  try {
    vectors = (await embedNow(embedder, contents, { signal })).vectors;
  } catch {
    signal.throwIfAborted();
  }
  return missing.map(({ record }, index) => ({ record, vector: vectors[index] }));
}

/** Returns records, best first, at most `limit`. `filter` has the conditions of `recordFilter` known to the index. */
export async function nearest(
  work: Pick<MemoryWork, "records" | "vectors">,
  vector: Float32Array,
  options: {
    readonly limit: number;
    readonly filter: VectorFilter;
    readonly recordFilter: RecordFilter;
    readonly unindexed?: Unindexed;
  },
): Promise<readonly Near[]> {
  const { filter, recordFilter, unindexed = [] } = options;
  const limit = Math.min(options.limit, VECTOR_LIMITS.maxLimit);
  const matches = await work.vectors.query(vector, { limit, filter });
  const found = await recordsById(
    work.records,
    matches.map(({ id }) => id),
  );
  const near = new Map<string, Near>();
  for (const { id, score } of matches) {
    const record = found.get(id);
    if (record !== undefined && passesFilter(record, recordFilter))
      near.set(id, { record, similarity: score });
  }
  for (const { record, vector: own } of unindexed) {
    if (own !== undefined && passesFilter(record, recordFilter))
      near.set(record.id, { record, similarity: similarityOf(vector, own) });
  }
  return [...near.values()].toSorted(bySimilarity).slice(0, limit);
}

export async function recordsById(
  records: MemoryRecords,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MemoryRecord>> {
  if (ids.length === 0) return new Map();
  const wanted = [...new Set(ids)];
  const found: MemoryRecord[] = [];
  for (let start = 0; start < wanted.length; start += MAX_RECORDS_PER_CALL)
    found.push(...(await records.get(wanted.slice(start, start + MAX_RECORDS_PER_CALL))));
  return new Map(found.map((record) => [record.id, record]));
}

function bySimilarity(one: Near, other: Near): number {
  return other.similarity - one.similarity || (one.record.id < other.record.id ? -1 : 1);
}
