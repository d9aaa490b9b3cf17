// From a question to records.
//
//   RC1. The root, privacy and source are part of every search, and checked again on every record. What a model proposes is cut to them.
//   RC2. Short questions cost one embedding and one search. Long ones are analysed by a model, whose failure costs nothing but itself.
//   RC3. A scope is searched with all that is below it, itself included.
//   RC4. Where the index fails or lacks records, full text stands in, and an event says so.
//   RC5. Exploring: a model looks at what was found and says what is missing; that is searched for, and named with the first match.
//   - Hybrid: the order is that of reciprocal rank fusion of vectors and full text; the similarities are handed out in that order, so
//     that thresholds keep their meaning.
import { mapAtMost } from "../base/concurrency.ts";
import { errorMessage } from "../base/error.ts";
import { coverage, queryTerms } from "../text-search/terms.ts";
import { fuseRanks } from "../text-search/rank-fusion.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import { askExploration, askQueryAnalysis, type QueryAnalysis } from "./analysis.ts";
import { compositeScore } from "./composite-score.ts";
import { isInScope, joinScopePaths, proposedPath, withinScope } from "./memory-path.ts";
import { MemoryMatch, type MatchData, type MemoryRecord } from "./memory-record.ts";
import type { RecordFilter } from "./memory-records.ts";
import { MEMORY_LIMITS, workAt, type MemoryWork } from "./memory-work.ts";
import { MAX_UNINDEXED, nearest, recordsById, type Near } from "./nearest.ts";
import { passesFilter } from "./record-filter.ts";

export type RecallRequest = {
  readonly query: string;
  /** The whole path that is searched: within the root. */
  readonly scope: string;
  readonly categories: readonly string[] | undefined;
  readonly limit: number;
  readonly isDeep: boolean;
  readonly source: string | undefined;
  readonly includePrivate: boolean;
  readonly hybrid: boolean;
};

/** What one search found at one scope; ids of `Searched.records`. */
type Finding = {
  readonly scope: string;
  readonly found: ReadonlyArray<readonly [id: string, similarity: number]>;
};

type Searched = {
  readonly nowMs: number;
  readonly records: readonly MemoryRecord[];
  readonly findings: readonly Finding[];
  /** Why full text stood in. */
  readonly degraded?: { readonly reason: string; readonly missing: number };
};

const SEARCHES_AT_ONCE = 4;
/** Contents that a model is shown of each finding. */
const SHOWN_CONTENTS = 5;
const MAX_PROPOSED_SCOPES = 20;
/** How much of each list is fused, at least. */
const FUSED = 30;
/** Similar meaning takes precedence over a shared rare word; measured in test/unit/memory/quality. */
const FUSION = { smoothing: 10, weights: [1.5, 1] };

export async function recallMemories(
  work: MemoryWork,
  request: RecallRequest,
): Promise<readonly MatchData[]> {
  const { steps, settings } = work;
  const analysis = await analyse(work, request);
  let queries = analysis.queries;
  const gaps: string[] = [];
  let searched: Searched;
  let budget = settings.explorationBudget;
  for (let round = 1; ; round++) {
    // oxlint-disable-next-line no-await-in-loop -- each round builds on the one before
    searched = await search(work, request, { analysis, queries, round });
    if (searched.degraded !== undefined) steps.emit("memory_index_degraded", searched.degraded);
    if (!request.isDeep || budget === 0 || !wantsMore(work, searched, analysis)) break;
    budget--;
    // oxlint-disable-next-line no-await-in-loop -- as above
    const missing = await explore(work, request, { searched, round });
    gaps.push(...missing);
    if (missing.length === 0) break;
    queries = [...queries, ...missing];
  }
  const matches = synthesise(work, searched, request.limit);
  const ordered = await rerank(work, request.query, matches);
  await touch(work, ordered);
  return ordered.map((match, place) => ({
    ...match,
    evidenceGaps: place === 0 ? [...new Set(gaps)] : [],
  }));
}

/** How to search. Scopes are whole paths, within the one that was asked for. */
async function analyse(work: MemoryWork, request: RecallRequest): Promise<QueryAnalysis> {
  const { query, scope, isDeep } = request;
  const plain = { scopes: [scope], isComplex: false, queries: [query] };
  if (!isDeep || query.length < work.settings.queryAnalysisThreshold) return plain;
  const around = await work.steps.step("scopes", async () => {
    const info = await work.records.info(scope);
    const scopes = info.childScopes.slice(0, MAX_PROPOSED_SCOPES);
    return {
      scopes: scopes.map((child) => withinScope(scope, child)),
      scopeInfo: `${info.recordCount} memories; categories: ${info.categories.slice(0, 50).join(", ") || "none"}`,
    };
  });
  const analysis = await askQueryAnalysis(workAt(work, work.steps.at("analysis")), {
    query,
    ...around,
  });
  if (analysis === undefined) return plain;
  const children = around.scopes.map((child) => joinScopePaths(scope, child));
  const scopes = analysis.scopes
    .map((proposed) => joinScopePaths(scope, proposedPath(scope, proposed, around.scopes)))
    .filter((proposed) => children.some((child) => isInScope(proposed, child)));
  return { ...analysis, scopes: scopes.length > 0 ? outermost(scopes) : [scope] };
}

/** Without those that lie below another: they are searched with it. */
function outermost(scopes: readonly string[]): readonly string[] {
  const each = [...new Set(scopes)];
  return each.filter((scope) => !each.some((other) => other !== scope && isInScope(scope, other)));
}

/** One step: the queries embedded, every scope searched, the records read. */
function search(
  work: MemoryWork,
  request: RecallRequest,
  by: {
    readonly analysis: QueryAnalysis;
    readonly queries: readonly string[];
    readonly round: number;
  },
): Promise<Searched> {
  const { analysis, queries, round } = by;
  return work.steps.step<Searched>(`search:${round}`, async ({ signal, nowMs }) => {
    const { vectors, reason } = await embedQueries(work, queries, signal);
    let degraded: Searched["degraded"] = reason === undefined ? undefined : { reason, missing: 0 };
    const known = new Map<string, MemoryRecord>();
    const findings = await mapAtMost(
      analysis.scopes.flatMap((scope) =>
        queries.map((query, index) => ({ scope, query, vector: vectors[index] })),
      ),
      SEARCHES_AT_ONCE,
      async ({ scope, query, vector }): Promise<Finding> => {
        const result = await searchOne(work, request, { scope, query, vector, analysis, signal });
        degraded ??= result.degraded;
        for (const { record } of result.near) known.set(record.id, record);
        return {
          scope,
          found: result.near.map(({ record, similarity }) => [record.id, similarity]),
        };
      },
    );
    return {
      nowMs,
      records: [...known.values()],
      findings,
      ...(degraded === undefined ? undefined : { degraded }),
    };
  });
}

async function embedQueries(
  { embedder }: MemoryWork,
  queries: readonly string[],
  signal: AbortSignal,
): Promise<{ vectors: readonly Float32Array[]; reason?: string }> {
  const texts = queries.map((query) =>
    query.slice(0, MEMORY_LIMITS.maxEmbeddedLength).toWellFormed(),
  );
  try {
    return { vectors: await embedder.embed(texts, { signal, purpose: "query" }) };
  } catch (error) {
    signal.throwIfAborted();
    return { vectors: [], reason: errorMessage(error) };
  }
}

async function searchOne(
  work: MemoryWork,
  request: RecallRequest,
  by: {
    readonly scope: string;
    readonly query: string;
    readonly vector: Float32Array | undefined;
    readonly analysis: QueryAnalysis;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly near: readonly Near[]; readonly degraded?: Searched["degraded"] }> {
  const { scope, query, vector, analysis, signal } = by;
  const { categories, source, includePrivate, hybrid, isDeep, limit } = request;
  const visibleTo = includePrivate ? undefined : (source ?? null);
  const recordFilter: RecordFilter = { scope, categories, visibleTo, fromMs: analysis.fromMs };
  const wanted = isDeep ? limit * work.settings.recallOversampleFactor : limit;
  // Fusion gains from what either search has further down.
  const pool = hybrid ? Math.max(wanted, FUSED) : wanted;
  const isSieved = categories !== undefined || analysis.fromMs !== undefined;
  let near: readonly Near[] = [];
  let degraded: Searched["degraded"];
  try {
    if (vector !== undefined) {
      near = await nearest(work, vector, {
        // What the index does not know of a record is sieved out afterwards.
        limit: isSieved ? VECTOR_LIMITS.maxLimit : pool,
        filter: { scope, ...(visibleTo === undefined ? {} : { visibleTo }) },
        recordFilter,
      });
    }
  } catch (error) {
    signal.throwIfAborted();
    degraded = { reason: errorMessage(error), missing: 0 };
  }
  if (!hybrid && vector !== undefined && degraded === undefined)
    return withMissing(work, near.slice(0, wanted), { query, recordFilter });
  const both = await withText(work, near, { query, recordFilter, wanted, pool, hybrid });
  return degraded === undefined ? { near: both } : { near: both, degraded };
}

/** Adds records that the index lacks, by their words (RC4). */
async function withMissing(
  { records }: MemoryWork,
  near: readonly Near[],
  { query, recordFilter }: { readonly query: string; readonly recordFilter: RecordFilter },
): Promise<{ readonly near: readonly Near[]; readonly degraded?: Searched["degraded"] }> {
  const { missing } = await records.pendingIndexing({ scope: recordFilter.scope }, MAX_UNINDEXED);
  if (missing.length === 0) return { near };
  const terms = queryTerms(query);
  const known = new Set(near.map(({ record }) => record.id));
  const others = missing
    .filter(({ record }) => !known.has(record.id) && passesFilter(record, recordFilter))
    .map(({ record }) => ({ record, similarity: coverage(terms, record.content) }))
    .filter(({ similarity }) => similarity > 0);
  const reason = "the index lacks records; they were looked for by their words";
  return {
    near: [...near, ...others].toSorted((one, other) => other.similarity - one.similarity),
    degraded: { reason, missing: missing.length },
  };
}

/** Adds what full text finds (RC4), or puts both in one order. */
async function withText(
  work: MemoryWork,
  near: readonly Near[],
  by: {
    readonly query: string;
    readonly recordFilter: RecordFilter;
    readonly wanted: number;
    /** How many each search may find. */
    readonly pool: number;
    readonly hybrid: boolean;
  },
): Promise<readonly Near[]> {
  const { query, recordFilter, wanted, pool, hybrid } = by;
  const options = { limit: pool, filter: recordFilter };
  const ids = await work.records.searchText(query, options);
  const byId = new Map(near.map((entry) => [entry.record.id, entry]));
  const others = await recordsById(
    work.records,
    ids.filter((id) => !byId.has(id)),
  );
  const terms = queryTerms(query);
  for (const record of others.values())
    byId.set(record.id, { record, similarity: coverage(terms, record.content) });
  const all = [...byId.values()].toSorted((one, other) => other.similarity - one.similarity);
  if (!hybrid) return all.slice(0, wanted);
  const order = fuseRanks([near.map(({ record }) => record.id), ids], FUSION);
  return order.slice(0, wanted).flatMap((id, place) => {
    const record = byId.get(id)?.record;
    return record === undefined ? [] : [{ record, similarity: all[place]?.similarity ?? 0 }];
  });
}

/** Whether a model is to look at what was found. */
function wantsMore(work: MemoryWork, searched: Searched, { isComplex }: QueryAnalysis): boolean {
  const { settings } = work;
  const records = new Map(searched.records.map((record) => [record.id, record]));
  const tops = searched.findings.map(({ found }) => {
    const [id, similarity] = found[0] ?? [];
    const record = id === undefined ? undefined : records.get(id);
    if (record === undefined || similarity === undefined) return 0;
    return compositeScore({ similarity, record }, searched.nowMs, settings).score;
  });
  const confidence = Math.max(0, ...tops);
  if (isComplex && confidence < settings.complexQueryThreshold) return true;
  return (
    confidence < settings.confidenceThresholdHigh && confidence < settings.confidenceThresholdLow
  );
}

/** What a model misses in each finding. */
async function explore(
  work: MemoryWork,
  { query }: RecallRequest,
  { searched, round }: { readonly searched: Searched; readonly round: number },
): Promise<readonly string[]> {
  const records = new Map(searched.records.map((record) => [record.id, record]));
  const shown = searched.findings.filter(({ found }) => found.length > 0);
  const missing = await mapAtMost(shown, SEARCHES_AT_ONCE, ({ scope, found }, index) =>
    askExploration(workAt(work, work.steps.at(`explore:${round}`).at(`finding:${index}`)), {
      query,
      scope,
      contents: found
        .slice(0, SHOWN_CONTENTS)
        .flatMap(([id]) => records.get(id)?.content.slice(0, 1000).toWellFormed() ?? []),
    }),
  );
  return missing.filter((gap) => gap !== undefined);
}

/** Each record once, by what it is worth. */
function synthesise(work: MemoryWork, searched: Searched, limit: number): readonly MatchData[] {
  const best = new Map<string, number>();
  for (const [id, similarity] of searched.findings.flatMap(({ found }) => found))
    best.set(id, Math.max(best.get(id) ?? 0, similarity));
  return searched.records
    .map((record) => {
      const similarity = best.get(record.id) ?? 0;
      const { score, matchReasons } = compositeScore(
        { similarity, record },
        searched.nowMs,
        work.settings,
      );
      return { record, score, matchReasons, evidenceGaps: [] };
    })
    .toSorted((one, other) => other.score - one.score || (one.record.id < other.record.id ? -1 : 1))
    .slice(0, limit);
}

/** The order of the reranker; that of the scores where it fails. */
async function rerank(
  work: MemoryWork,
  query: string,
  matches: readonly MatchData[],
): Promise<readonly MatchData[]> {
  const { reranker } = work.settings;
  if (reranker === undefined || matches.length === 0) return matches;
  const byId = new Map(matches.map((match) => [match.record.id, match]));
  try {
    const ids = await work.steps.step("rerank", async ({ signal }) => {
      const ranked = await reranker(
        query,
        matches.map((match) => new MemoryMatch(match)),
        { signal },
      );
      return ranked.map(({ record }) => record.id);
    });
    return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  } catch {
    return matches;
  }
}

/** Notes that the records were recalled; a recall does not fail for it. */
async function touch(work: MemoryWork, matches: readonly MatchData[]): Promise<void> {
  if (matches.length === 0) return;
  const ids = matches.map(({ record }) => record.id);
  await work.steps.step("touch", async ({ nowMs }) => {
    await work.records.touch(ids, nowMs).catch(() => undefined);
  });
}
