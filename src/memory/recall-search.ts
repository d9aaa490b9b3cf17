// One search of a recall: one question at one scope.
//
//   MS1. If the index fails or lacks records, full text replaces it, and the result reports this.
//   MS2. Records less similar than `minScore` are left out, so the result can be empty. Similarity is the cosine, or
//        the embedder's own comparison of the texts. If only words can be compared, it is the share of the question's
//        words.
//   MS3. Hybrid: the order follows the sum of two shares from 0 to 1: the similarity's position between unrelated and
//        alike, and the share of the question's words found by full text. Both are independent of the other matches.
//        The similarities are assigned in this order, so thresholds keep their meaning. A record's similarity is at
//        least its share of the words.
import { errorMessage } from "../base/error.ts";
import { coverage, queryTerms } from "../text/index.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import { adoptIndex, isMismatch } from "./adopt-index.ts";
import { reaches } from "./embed.ts";
import type { RecordFilter } from "./memory-records.ts";
import { MEMORY_LIMITS, type MemoryWork } from "./memory-work.ts";
import { MAX_UNINDEXED, nearest, recordsById, type Near } from "./nearest.ts";
import { viewerOf, type RecallRequest } from "./recall-request.ts";
import { passesFilter } from "./record-filter.ts";

/** Reason for the use of full text, and the number of missing records. */
export type Degraded = { readonly reason: string; readonly missing: number };

type ScopeMatch = Near & {
  /** Basis of the score: the similarity, or in hybrid recall the similarity assigned to the place in the order. */
  readonly worth: number;
};

/** Minimum number of matches to fuse from each list, and of texts to compare. */
const POOL = 50;

type Search = {
  readonly query: string;
  readonly terms: readonly string[];
  readonly recordFilter: RecordFilter;
  /** Maximum length of each list. */
  readonly pool: number;
};

/** Returns the matches of one search, best first. */
export async function searchScope(
  work: MemoryWork,
  request: RecallRequest,
  by: {
    readonly scope: string;
    readonly query: string;
    readonly vector: Float32Array | undefined;
    readonly fromMs: number | undefined;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly matches: readonly ScopeMatch[]; readonly degraded?: Degraded }> {
  const { scope, query, vector, fromMs, signal } = by;
  const { categories, hybrid, isDeep, limit, minScore } = request;
  const { visibleTo } = viewerOf(request);
  const wanted = isDeep ? limit * work.settings.recallOversampleFactor : limit;
  // Fusion and comparison can raise matches from further down the index.
  const isPooled = hybrid || work.embedder.compare !== undefined;
  const search: Search = {
    query,
    terms: queryTerms(query),
    recordFilter: { scope, categories, visibleTo, fromMs },
    pool: isPooled ? Math.max(wanted, POOL) : wanted,
  };
  const isSieved = categories !== undefined || fromMs !== undefined;
  let near: readonly Near[] | undefined;
  let degraded: Degraded | undefined;
  try {
    if (vector !== undefined) {
      const found = await nearest(work, vector, {
        // Conditions unknown to the index are applied to its matches afterwards.
        limit: isSieved ? VECTOR_LIMITS.maxLimit : search.pool,
        filter: { scope, ...(visibleTo === undefined ? {} : { visibleTo }) },
        recordFilter: search.recordFilter,
      });
      near = compared(work, search, found);
    }
  } catch (error) {
    signal.throwIfAborted();
    degraded = { reason: await reasonOf(work, error, vector), missing: 0 };
  }
  const isEnough = ({ similarity }: Near): boolean => reaches(similarity, minScore);
  if (near === undefined) {
    const found = byWords(search, await textMatches(work, search, [])).filter(isEnough);
    const matches = found.slice(0, wanted).map(worthItsSimilarity);
    return { matches, ...(degraded === undefined ? undefined : { degraded }) };
  }
  if (hybrid) {
    const all = (await fused(work, search, near)).filter(isEnough);
    return { matches: all.slice(0, wanted) };
  }
  const { missing, count } = await missingRecords(work, search, near);
  const all = [...near, ...missing].toSorted(bySimilarity).filter(isEnough);
  const matches = all.slice(0, wanted + missing.length).map(worthItsSimilarity);
  const reason = "the index lacks records; they were looked for by their words";
  return count === 0 ? { matches } : { matches, degraded: { reason, missing: count } };
}

/** Returns the reason for a search by words; a search with another embedder takes over the index. */
async function reasonOf(
  work: MemoryWork,
  error: unknown,
  vector: Float32Array | undefined,
): Promise<string> {
  if (!isMismatch(error) || vector === undefined) return errorMessage(error);
  const nowMs = (work.steps.scope?.clock ?? work.settings.clock).now();
  const isOwn = await adoptIndex(work, { dimension: vector.length, nowMs });
  return isOwn
    ? `the index is being made again for ${work.embedder.id}; records were looked for by their words`
    : errorMessage(error);
}

/** Replaces similarities with the embedder's comparison of the texts, if it has one. Best first. */
function compared(
  { embedder }: MemoryWork,
  { query }: Search,
  near: readonly Near[],
): readonly Near[] {
  if (embedder.compare === undefined) return near;
  const texts = near.map(({ record }) => record.content.slice(0, MEMORY_LIMITS.maxEmbeddedLength));
  const similarities = embedder.compare(query, texts);
  return near
    .map(({ record }, place) => ({ record, similarity: similarities[place] ?? 0 }))
    .toSorted(bySimilarity);
}

/** Returns full-text matches, best first. */
async function textMatches(
  { records }: MemoryWork,
  { query, recordFilter, pool }: Search,
  known: readonly Near[],
): Promise<readonly Pick<Near, "record">[]> {
  const ids = await records.searchText(query, { limit: pool, filter: recordFilter });
  const byId = new Map(known.map(({ record }) => [record.id, record]));
  const others = await recordsById(
    records,
    ids.filter((id) => !byId.has(id)),
  );
  return ids.flatMap((id) => {
    const record = byId.get(id) ?? others.get(id);
    return record === undefined ? [] : [{ record }];
  });
}

/** Sets each similarity to the share of the question's words in the text. */
function byWords({ terms }: Search, found: readonly Pick<Near, "record">[]): readonly Near[] {
  return found
    .map(({ record }) => ({ record, similarity: coverage(terms, record.content) }))
    .toSorted(bySimilarity);
}

/** Returns records missing from the index with words of the question (MS1). */
async function missingRecords(
  work: MemoryWork,
  search: Search,
  near: readonly Near[],
): Promise<{ readonly missing: readonly Near[]; readonly count: number }> {
  const { scope } = search.recordFilter;
  const { missing } = await work.records.pendingIndexing({ scope }, MAX_UNINDEXED);
  const known = new Set(near.map(({ record }) => record.id));
  // The words of many records are looked up in full text.
  const isMany = missing.length === MAX_UNINDEXED;
  const found = isMany ? await textMatches(work, search, near) : missing;
  const others = found.filter(
    ({ record }) => !known.has(record.id) && passesFilter(record, search.recordFilter),
  );
  const worded = byWords(search, others).filter(({ similarity }) => similarity > 0);
  return { missing: worded, count: missing.length };
}

/** Merges vector and full-text matches in one order (MS3). */
async function fused(
  work: MemoryWork,
  search: Search,
  near: readonly Near[],
): Promise<readonly ScopeMatch[]> {
  const text = await textMatches(work, search, near);
  const known = new Map(near.map((entry) => [entry.record.id, entry]));
  const added = text.filter(({ record }) => !known.has(record.id));
  // Without a comparison of texts, records found only by full text are ranked by their words alone.
  const others = compared(
    work,
    search,
    added.map(({ record }) => ({ record, similarity: 0 })),
  );
  const shares = new Map(
    byWords(search, text).map(({ record, similarity }) => [record.id, similarity]),
  );
  const { unrelated = 0, alike = 0.85 } = work.embedder.similarity ?? {};
  const all = [...near, ...others].map(({ record, similarity }) => {
    const share = shares.get(record.id) ?? 0;
    const way = Math.max(0, (similarity - unrelated) / (alike - unrelated || 1));
    return { record, similarity: Math.max(similarity, share), rank: way + share };
  });
  const worths = all.map(({ similarity }) => similarity).toSorted((one, other) => other - one);
  return all
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ record, similarity }, place) => ({ record, similarity, worth: worths[place] ?? 0 }));
}

function worthItsSimilarity(near: Near): ScopeMatch {
  return { ...near, worth: near.similarity };
}

function bySimilarity(one: Near, other: Near): number {
  return other.similarity - one.similarity;
}
