// One search of a recall: one question at one scope.
//
//   MS1. Where the index fails or lacks records, full text stands in, and the answer says so.
//   MS2. What is less similar than `minScore` is left out, so that nothing can be the answer. Similarity is the cosine, or what the embedder
//        says of the texts themselves; where only words can be compared, it is the share of the question's words.
//   MS3. Hybrid: the order is that of two shares, added: of the way from unrelated to alike that the similarity has come, and of the
//        question's words that full text found. Both are 0 to 1, whatever else was found. The similarities are handed out in that order,
//        so that thresholds keep their meaning; a record is as similar as the share of the words that it has, at least.
import { errorMessage } from "../base/error.ts";
import { coverage, queryTerms } from "../text-search/terms.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import { reaches } from "./embed.ts";
import type { RecordFilter } from "./memory-records.ts";
import { MEMORY_LIMITS, type MemoryWork } from "./memory-work.ts";
import { MAX_UNINDEXED, nearest, recordsById, type Near } from "./nearest.ts";
import type { RecallRequest } from "./recall-memories.ts";
import { passesFilter } from "./record-filter.ts";

/** Why full text stood in, and for how many records. */
export type Degraded = { readonly reason: string; readonly missing: number };

type ScopeMatch = Near & {
  /** What the score is made of: the similarity, or in hybrid recall that of the place in the order. */
  readonly worth: number;
};

/** How much of each list is fused, and how many texts an embedder compares, at least. */
const POOL = 50;

type Search = {
  readonly query: string;
  readonly terms: readonly string[];
  readonly recordFilter: RecordFilter;
  /** How many each list may have. */
  readonly pool: number;
};

/** Best first. */
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
  const { categories, source, includePrivate, hybrid, isDeep, limit, minScore } = request;
  const visibleTo = includePrivate ? undefined : (source ?? null);
  const wanted = isDeep ? limit * work.settings.recallOversampleFactor : limit;
  // Fusing and comparing gain from what the index has further down.
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
        // What the index does not know of a record is sieved out afterwards.
        limit: isSieved ? VECTOR_LIMITS.maxLimit : search.pool,
        filter: { scope, ...(visibleTo === undefined ? {} : { visibleTo }) },
        recordFilter: search.recordFilter,
      });
      near = compared(work, search, found);
    }
  } catch (error) {
    signal.throwIfAborted();
    degraded = { reason: errorMessage(error), missing: 0 };
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

/** The same with similarities that the embedder tells from the texts, if it can. Best first. */
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

/** What full text finds, best first. */
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

/** As similar as the share of the question's words that they have. */
function byWords({ terms }: Search, found: readonly Pick<Near, "record">[]): readonly Near[] {
  return found
    .map(({ record }) => ({ record, similarity: coverage(terms, record.content) }))
    .toSorted(bySimilarity);
}

/** Records that the index lacks and that have words of the question (MS1). */
async function missingRecords(
  work: MemoryWork,
  search: Search,
  near: readonly Near[],
): Promise<{ readonly missing: readonly Near[]; readonly count: number }> {
  const { scope } = search.recordFilter;
  const { missing } = await work.records.pendingIndexing({ scope }, MAX_UNINDEXED);
  const known = new Set(near.map(({ record }) => record.id));
  const others = missing.filter(
    ({ record }) => !known.has(record.id) && passesFilter(record, search.recordFilter),
  );
  const found = byWords(search, others).filter(({ similarity }) => similarity > 0);
  return { missing: found, count: missing.length };
}

/** Vectors and full text in one order (MS3). */
async function fused(
  work: MemoryWork,
  search: Search,
  near: readonly Near[],
): Promise<readonly ScopeMatch[]> {
  const text = await textMatches(work, search, near);
  const known = new Map(near.map((entry) => [entry.record.id, entry]));
  const added = text.filter(({ record }) => !known.has(record.id));
  // Where texts cannot be compared, those that vectors did not find are similar by their words alone.
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
