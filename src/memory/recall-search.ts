// One search of a recall: one question at one scope.
//
//   MS1. If the index fails or lacks records, full text replaces it, and the result reports this.
//   MS2. Records less similar than `minScore` are left out, so the result can be empty. Similarity is the cosine, or
//        the embedder's own comparison of the texts, and at least the share of the question's words in the text. Words
//        found only in a record's context count half.
//   MS3. Hybrid: the store ranks by words, the index by meaning. The order follows the sum of the two: the score by
//        words as a share of the best score, and the similarity above that of the last match of the index, with half of
//        what the neighbours have. An embedder that compares words adds little of its own (`LEXICAL_WEIGHT`). The
//        similarities are assigned in this order, so thresholds keep their meaning.
//   MS4. The question is embedded without the names of speakers. A name is in half of a conversation's texts, and would
//        decide the similarity; the ranking by words knows speakers (RWD1).
import { errorMessage } from "../base/error.ts";
import { coverage, queryTerms, shareOf, termsOf } from "../text/index.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import { adoptIndex, isMismatch } from "./adopt-index.ts";
import { reaches } from "./embed.ts";
import {
  bySimilarity,
  compared,
  comparedText,
  fuseMatches,
  isLexical,
  type Candidate,
} from "./fuse-matches.ts";
import type { RecordFilter, TextMatch } from "./memory-records.ts";
import type { MemoryWork } from "./memory-work.ts";
import { MAX_UNINDEXED, nearest, recordsById, type Near } from "./nearest.ts";
import { viewerOf, type RecallRequest } from "./recall-request.ts";
import { passesFilter } from "./record-filter.ts";
import { recordWords, speakerTerms } from "./record-words.ts";

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
  /** Number of matches to return. */
  readonly wanted: number;
  /** Maximum length of each list. */
  readonly pool: number;
};

/** Question at a scope. */
export type ScopeQuestion = {
  readonly scope: string;
  readonly query: string;
  readonly fromMs: number | undefined;
};

/** Question at a scope with its matches by words; undefined without hybrid recall. */
export type WordSearch = Search & { readonly text: readonly TextMatch[] | undefined };

/** Begins a search with the matches by words. */
export async function searchByWords(
  work: MemoryWork,
  request: RecallRequest,
  { scope, query, fromMs }: ScopeQuestion,
): Promise<WordSearch> {
  const { categories, hybrid, isDeep, limit } = request;
  const { visibleTo } = viewerOf(request);
  const wanted = isDeep ? limit * work.settings.recallOversampleFactor : limit;
  const search: Search = {
    query,
    terms: queryTerms(query),
    recordFilter: { scope, categories, visibleTo, fromMs },
    wanted,
    pool: Math.max(wanted, POOL),
  };
  return { ...search, text: hybrid ? await textMatches(work, search) : undefined };
}

function textMatches({ records }: MemoryWork, search: Search): Promise<readonly TextMatch[]> {
  const { query, pool, recordFilter } = search;
  return records.searchText(query, { limit: pool, filter: recordFilter });
}

/** Returns a question without the names of speakers; a question of names alone stays (MS4). */
export function withoutSpeakers(query: string, searches: readonly WordSearch[]): string {
  const names = new Set(
    searches.flatMap(({ text = [] }) => text.flatMap(({ record }) => speakerTerms(record))),
  );
  if (names.size === 0) return query;
  const rest = query.replaceAll(/[\p{L}\p{N}\p{M}]+/gu, (word) => {
    const terms = termsOf(word);
    return terms.length > 0 && terms.every((term) => names.has(term)) ? "" : word;
  });
  return termsOf(rest).length === 0 ? query : rest.replaceAll(/ {2,}/g, " ").trim();
}

/** Returns the matches of one search, best first. */
export async function searchScope(
  work: MemoryWork,
  request: RecallRequest,
  by: {
    readonly search: WordSearch;
    readonly vector: Float32Array | undefined;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly matches: readonly ScopeMatch[]; readonly degraded?: Degraded }> {
  const { search, vector, signal } = by;
  const { hybrid, minScore } = request;
  const { wanted } = search;
  const { scope, categories, visibleTo, fromMs } = search.recordFilter;
  const isSieved = categories !== undefined || fromMs !== undefined;
  // Conditions unknown to the index are applied to its matches afterwards, and fusion raises matches from far down.
  const isDeepest = isSieved || (hybrid && work.embedder.compare === undefined);
  const isPooled = hybrid || work.embedder.compare !== undefined;
  // Vectors made of words add nothing to a full list by words.
  const isFull = isLexical(work) && (search.text?.length ?? 0) >= search.pool;
  let near: readonly Near[] | undefined = isFull ? [] : undefined;
  let degraded: Degraded | undefined;
  try {
    if (vector !== undefined && near === undefined) {
      const found = await nearest(work, vector, {
        limit: isDeepest ? VECTOR_LIMITS.maxLimit : isPooled ? search.pool : wanted,
        filter: {
          ...(scope === undefined ? {} : { scope }),
          ...(visibleTo === undefined ? {} : { visibleTo }),
        },
        recordFilter: search.recordFilter,
      });
      near = hybrid ? found : compared(work, search.query, found);
    }
  } catch (error) {
    signal.throwIfAborted();
    degraded = { reason: await reasonOf(work, error, vector), missing: 0 };
  }
  const isEnough = ({ similarity }: Near): boolean => reaches(similarity, minScore);
  if (near === undefined || hybrid) {
    const text = search.text ?? (await textMatches(work, search));
    const ordered = fuseMatches(work, search, { text, near: near ?? [] });
    const found = await similarEnough(work, search, { ordered, minScore });
    return {
      matches: worthByPlace(found),
      ...(degraded === undefined ? undefined : { degraded }),
    };
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
  const found = isMany ? await textMatches(work, search) : missing;
  const others = found.filter(
    ({ record }) => !known.has(record.id) && passesFilter(record, search.recordFilter),
  );
  const worded = byWords(search, others).filter(({ similarity }) => similarity > 0);
  return { missing: worded, count: missing.length };
}

/** Returns the first `wanted` candidates at or above `minScore` (MS2), in their order. */
async function similarEnough(
  work: MemoryWork,
  search: Search,
  by: {
    readonly ordered: readonly Candidate[];
    readonly minScore: number;
  },
): Promise<readonly Near[]> {
  const { ordered, minScore } = by;
  const { terms, wanted } = search;
  const found: Near[] = [];
  for (let start = 0; start < ordered.length && found.length < wanted; start += wanted) {
    const part = ordered.slice(start, start + wanted);
    const own = part.map((each) => ({
      record: each.record,
      similarity: Math.max(each.similarity ?? 0, coverage(terms, comparedText(each))),
    }));
    const isEnough = ({ similarity }: Near): boolean => reaches(similarity, minScore);
    const around = await termsAround(
      work,
      own.filter((near) => !isEnough(near)),
    );
    for (const near of own) {
      const context = around.get(near.record.id);
      const share = context === undefined ? 0 : shareOf(terms, context) / 2;
      const { record, similarity } = near;
      found.push({ record, similarity: Math.max(similarity, share) });
    }
    const enough = found.filter(isEnough);
    found.splice(0, found.length, ...enough);
  }
  return found.slice(0, wanted);
}

/** Returns the terms of records with those of their context, by id. */
async function termsAround(
  { records }: MemoryWork,
  near: readonly Near[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = near.flatMap(({ record }) => record.neighbours ?? []);
  const neighbours = await recordsById(records, ids);
  return new Map(
    near.map(({ record }) => {
      const {
        own,
        near: around,
        about,
      } = recordWords(
        record,
        (record.neighbours ?? []).flatMap((id) => neighbours.get(id)?.content ?? []),
      );
      return [record.id, [own, around, about].flat()];
    }),
  );
}

/** Assigns the similarities to the matches in their order, the highest first. */
function worthByPlace(found: readonly Near[]): readonly ScopeMatch[] {
  const worths = found.map(({ similarity }) => similarity).toSorted((one, other) => other - one);
  return found.map((near, place) => ({ ...near, worth: worths[place] ?? 0 }));
}

function worthItsSimilarity(near: Near): ScopeMatch {
  return { ...near, worth: near.similarity };
}
