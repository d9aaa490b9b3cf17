// Recall: from a question to records.
//
//   RC1. Root, privacy and source are part of every search and checked again on every record. A model's proposals are
//        limited to them.
//   RC2. Short questions cost one embedding and one search. A model analyses long ones; if it fails, the recall runs
//        without the analysis.
//   RC3. A scope is searched together with all scopes below it.
//   RC5. Exploration: a model looks at the matches and names missing information. The recall searches for it and adds
//        it to the first match.
//   - One search is in recall-search.ts.
import { mapAtMost } from "../base/concurrency.ts";
import { errorMessage } from "../base/error.ts";
import { askExploration, askQueryAnalysis, type QueryAnalysis } from "./analysis.ts";
import { compositeScore } from "./composite-score.ts";
import { isInScope, joinScopePaths, proposedPath, withinScope } from "./memory-path.ts";
import { MemoryMatch, type MatchData, type MemoryRecord } from "./memory-record.ts";
import { MEMORY_LIMITS, workAt, type MemoryWork } from "./memory-work.ts";
import { viewerOf, type RecallRequest } from "./recall-request.ts";
import { searchByWords, searchScope, withoutSpeakers, type Degraded } from "./recall-search.ts";

/** Matches of one search at one scope, as ids of `Searched.records`. */
type Finding = {
  readonly scope: string;
  readonly found: ReadonlyArray<Found>;
};

/** `worth` is the basis of the score. `similarity` is absent in journals of older versions. */
type Found = readonly [id: string, worth: number, similarity?: number];

type Searched = {
  readonly nowMs: number;
  readonly records: readonly MemoryRecord[];
  readonly findings: readonly Finding[];
  readonly degraded?: Degraded | undefined;
};

const SEARCHES_AT_ONCE = 4;
/** Number of contents of each finding shown to a model. */
const SHOWN_CONTENTS = 5;
const MAX_PROPOSED_SCOPES = 20;

/** Returns matches, best first. Calls `analysed` with the model's analysis of the question, if there was one. */
export async function recallMemories(
  work: MemoryWork,
  request: RecallRequest,
  analysed: (analysis: QueryAnalysis) => void = () => undefined,
): Promise<readonly MatchData[]> {
  const { steps, settings } = work;
  const analysis = await analyse(work, request, analysed);
  let queries = analysis.queries;
  const gaps: string[] = [];
  let searched: Searched;
  let budget = settings.explorationBudget;
  for (let round = 1; ; round++) {
    searched = await search(work, request, { analysis, queries, round });
    if (searched.degraded !== undefined) steps.emit("memory_index_degraded", searched.degraded);
    if (!request.isDeep || budget === 0 || !wantsMore(work, searched, analysis)) break;
    budget--;
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

/** Plans the search. Scopes are whole paths within the requested one. */
async function analyse(
  work: MemoryWork,
  request: RecallRequest,
  analysed: (analysis: QueryAnalysis) => void,
): Promise<QueryAnalysis> {
  const { query, scope, isDeep } = request;
  const plain = { scopes: [scope], isComplex: false, queries: [query] };
  if (!isDeep || query.length < work.settings.queryAnalysisThreshold) return plain;
  const around = await work.steps.step("scopes", async () => {
    const info = await work.records.info(scope, viewerOf(request));
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
  const found = { ...analysis, scopes: scopes.length > 0 ? outermost(scopes) : [scope] };
  analysed(found);
  return found;
}

/** Removes scopes below another one, which includes them. */
function outermost(scopes: readonly string[]): readonly string[] {
  const each = [...new Set(scopes)];
  return each.filter((scope) => !each.some((other) => other !== scope && isInScope(scope, other)));
}

/** Runs one step: embeds the queries, searches every scope and reads the records. */
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
    const asked = analysis.scopes.flatMap((scope) => queries.map((query) => ({ scope, query })));
    const { fromMs } = analysis;
    const searches = await mapAtMost(asked, SEARCHES_AT_ONCE, (each) =>
      searchByWords(work, request, { ...each, fromMs }),
    );
    const { vectors, reason } = await embedQueries(
      work,
      queries.map((query) => withoutSpeakers(query, searches)),
      signal,
    );
    let degraded: Degraded | undefined = reason === undefined ? undefined : { reason, missing: 0 };
    const known = new Map<string, MemoryRecord>();
    const findings = await mapAtMost(
      asked.map(({ scope }, index) => ({
        scope,
        begun: searches[index],
        vector: vectors[index % queries.length],
      })),
      SEARCHES_AT_ONCE,
      async ({ scope, begun, vector }): Promise<Finding> => {
        if (begun === undefined) return { scope, found: [] };
        const result = await searchScope(work, request, { search: begun, vector, signal });
        degraded ??= result.degraded;
        for (const { record } of result.matches) known.set(record.id, record);
        return {
          scope,
          found: result.matches.map(({ record, worth, similarity }) => [
            record.id,
            worth,
            similarity,
          ]),
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

/** True if the matches are weak enough for a model to look at them. */
function wantsMore(work: MemoryWork, searched: Searched, { isComplex }: QueryAnalysis): boolean {
  const { settings } = work;
  const records = new Map(searched.records.map((record) => [record.id, record]));
  const tops = searched.findings.map(({ found }) => {
    const [id, worth] = found[0] ?? [];
    const record = id === undefined ? undefined : records.get(id);
    if (record === undefined || worth === undefined) return 0;
    return compositeScore({ similarity: worth, record }, searched.nowMs, settings).score;
  });
  const confidence = Math.max(0, ...tops);
  if (isComplex && confidence < settings.complexQueryThreshold) return true;
  return (
    confidence < settings.confidenceThresholdHigh && confidence < settings.confidenceThresholdLow
  );
}

/** Asks a model for missing information in each finding. */
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

/** Returns each record once, ordered by score. */
function synthesise(work: MemoryWork, searched: Searched, limit: number): readonly MatchData[] {
  const best = new Map<string, Found>();
  for (const found of searched.findings.flatMap((finding) => finding.found)) {
    const known = best.get(found[0]);
    if (known === undefined || known[1] < found[1]) best.set(found[0], found);
  }
  return searched.records
    .map((record): MatchData => {
      const [, worth = 0, similarity] = best.get(record.id) ?? [];
      const { score, parts, matchReasons } = compositeScore(
        { similarity: worth, record },
        searched.nowMs,
        work.settings,
      );
      const near = similarity === undefined ? undefined : { similarity };
      const own = work.settings.semanticWeight * (similarity ?? worth);
      const rank = parts.similarity - own;
      const each = rank === 0 ? parts : { ...parts, similarity: own, rank };
      return { record, score, ...near, parts: each, matchReasons, evidenceGaps: [] };
    })
    .toSorted((one, other) => other.score - one.score || (one.record.id < other.record.id ? -1 : 1))
    .slice(0, limit);
}

/** Orders matches with the reranker; keeps the order of the scores if it fails. */
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

/** Sets the time of the last recall. Its errors do not fail the recall. */
async function touch(work: MemoryWork, matches: readonly MatchData[]): Promise<void> {
  if (matches.length === 0) return;
  const ids = matches.map(({ record }) => record.id);
  await work.steps.step("touch", async ({ nowMs }) => {
    await work.records.touch(ids, nowMs).catch(() => undefined);
  });
}
