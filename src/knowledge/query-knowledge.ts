// Search in knowledge.
//
//   KQ1. Results by meaning (cosine at least `scoreThreshold`) and by the question's words are two lists, merged by
//        reciprocal rank fusion. Words count only if a chunk has at least half of the question's terms; those found only
//        in the text around it count less, so a chunk without a word of its own is left out.
//   KQ2. If the vector index is unavailable, or has vectors of another embedder, the search uses words only, and the
//        answer reports it.
//   KQ3. Every snippet has its place: document, page, row or line of the answer (PL1), headings, offsets in the
//        document's text.
import { EngineError, errorMessage } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { coverage, queryTerms } from "../text/index.ts";
import { fuseRanks } from "../text-search/rank-fusion.ts";
import { vectorCollection } from "./index-document.ts";
import type { KnowledgeQuery, Snippet, KnowledgeAnswer } from "./knowledge-query.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { placeIn } from "./place.ts";
import { searchable, type KnowledgeChunk } from "./knowledge-store.ts";

export const QUERY_LIMITS = { maxLimit: 50, maxQueries: 10, maxQueryLength: 8_000 } as const;
/** Number of nearest chunks passed to a text-comparing embedder. */
const COMPARED = 50;
/** Part of the share of terms that are in the text around a chunk alone. */
const AROUND_SHARE = 0.4;
/** Minimum share of the question's terms, by weight. */
const MIN_COVERAGE = 0.5;

/** Throws `invalid_input` for an invalid question. */
export async function queryKnowledge(
  service: KnowledgeService,
  query: KnowledgeQuery,
  signal: AbortSignal,
): Promise<KnowledgeAnswer> {
  const { collection, queries, limit, hybrid, usualThreshold, ...fields } = checked(query);
  const { related = usualThreshold } = (query.embedder ?? service.embedder).similarity ?? {};
  const { scoreThreshold = Math.min(related, usualThreshold) } = fields;
  const { store } = service;
  if (queries.length === 0) return { snippets: [] };
  const near = await nearest(service, { ...query, queries, limit, scoreThreshold }, signal);
  const isDegraded = "degraded" in near;
  const byWords = hybrid || isDegraded ? await withWords() : [];
  const meanings = isDegraded ? [] : near.lists.map((list) => list.map(({ id }) => id));
  const scores = new Map(isDegraded ? [] : near.lists.flat().map(({ id, score }) => [id, score]));
  const ids = fuseRanks([...meanings, ...byWords]).slice(0, limit);
  const chunks = await store.chunks(collection, ids);
  const inWords = new Set(byWords.flat());
  const inMeaning = new Set(meanings.flat());
  const asked = queries.map(queryTerms);
  const names = new Map<string, string>();
  for (const { document } of chunks)
    if (!names.has(document))
      names.set(document, (await store.document(collection, document))?.name ?? document);
  const snippets = chunks.map((found): Snippet => {
    const { id, document, text, start, end } = found;
    const [meaning, words] = [inMeaning.has(id), inWords.has(id)];
    return {
      id,
      text,
      start,
      end,
      ...placeIn(found, asked),
      document: { id: document, name: names.get(document) ?? document },
      score: scores.get(id) ?? null,
      matched: [...(meaning ? (["meaning"] as const) : []), ...(words ? (["words"] as const) : [])],
    };
  });
  return isDegraded ? { snippets, degraded: near.degraded } : { snippets };

  async function withWords(): Promise<string[][]> {
    return Promise.all(
      queries.map(async (each) => {
        const terms = queryTerms(each);
        if (terms.length === 0) return [];
        const found = await store.searchText(collection, terms, limit * 3);
        return found
          .filter((chunk) => shareOfQuestion(terms, chunk) >= MIN_COVERAGE)
          .slice(0, limit)
          .map(({ id }) => id);
      }),
    );
  }
}

/** Returns the share of the question's terms in a chunk, with part of those in the text around it alone. */
function shareOfQuestion(terms: readonly string[], chunk: KnowledgeChunk): number {
  const own = coverage(terms, searchable(chunk));
  const { around } = chunk;
  if (own >= MIN_COVERAGE || around === undefined) return own;
  return own + AROUND_SHARE * (coverage(terms, `${searchable(chunk)}\n${around}`) - own);
}

type Near = {
  readonly lists: ReadonlyArray<ReadonlyArray<{ readonly id: string; readonly score: number }>>;
};

async function nearest(
  { tenant, vectors, store, embedder: own }: KnowledgeService,
  query: KnowledgeQuery & { readonly limit: number; readonly scoreThreshold: number },
  signal: AbortSignal,
): Promise<Near | { readonly degraded: string }> {
  const { collection, queries, limit, scoreThreshold, embedder = own } = query;
  const index = vectors.open({
    tenant,
    collection: vectorCollection(collection),
    model: embedder.model,
  });
  try {
    const embedded = await embedder.embed(queries, { signal, purpose: "query" });
    const pool = embedder.compare === undefined ? limit : Math.max(limit, COMPARED);
    const lists = await Promise.all(
      embedded.map(async (vector, place) => {
        const found = await index.query(vector, { limit: pool, minScore: scoreThreshold });
        if (embedder.compare === undefined || found.length === 0) return found;
        const chunks = await store.chunks(
          collection,
          found.map(({ id }) => id),
        );
        const scores = embedder.compare(queries[place] ?? "", chunks.map(searchable));
        return chunks
          .map(({ id }, position) => ({ id, score: scores[position] ?? 0 }))
          .filter(({ score }) => score >= scoreThreshold)
          .toSorted((one, other) => other.score - one.score)
          .slice(0, limit);
      }),
    );
    return { lists };
  } catch (error) {
    if (EngineError.is(error) && error.code === "invalid_input") throw error;
    if (signal.aborted) throw error;
    return { degraded: errorMessage(error) };
  }
}

function checked({
  collection,
  queries,
  limit = 5,
  scoreThreshold,
  usualThreshold = 0.6,
  hybrid = true,
}: KnowledgeQuery) {
  const { maxLimit, maxQueries, maxQueryLength } = QUERY_LIMITS;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw wrong("limit", `an integer from 1 to ${maxLimit}`, limit);
  if (scoreThreshold !== undefined && !(scoreThreshold >= 0 && scoreThreshold <= 1))
    throw wrong("scoreThreshold", "a number from 0 to 1", scoreThreshold);
  if (queries.length > maxQueries)
    throw wrong("queries", `at most ${maxQueries} texts`, queries.length);
  const asked = queries
    .filter((each) => each.trim() !== "")
    .map((each) => each.slice(0, maxQueryLength));
  return { collection, queries: asked, limit, scoreThreshold, usualThreshold, hybrid };
}

function wrong(field: string, expected: string, got: unknown): EngineError {
  return new EngineError("invalid_input", `${field} must be ${expected}, got ${preview(got)}`);
}
