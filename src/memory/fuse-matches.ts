// Fusion of matches by words and by meaning into one order (MS3).
import { MEMORY_LIMITS, type MemoryWork } from "./memory-work.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { TextMatch } from "./memory-records.ts";
import type { Near } from "./nearest.ts";

/** Weight of the meaning, relative to the words: of an embedder with a language model, and of one that compares words. */
const MEANING_WEIGHT = 0.8;
const LEXICAL_WEIGHT = 0.1;
/** Weight of a neighbour's similarity, relative to the record's own. */
const NEIGHBOUR_WEIGHT = 0.5;
/** Number of texts to compare, if the embedder compares texts: of the best, and of those without a word. */
const COMPARED = 20;
const COMPARED_WORDLESS = 30;
/** Part of a text to compare with a question, in characters. */
const MAX_COMPARED_LENGTH = 4000;

/** Match on its way into the order of the result. */
export type Candidate = {
  readonly record: MemoryRecord;
  /** Score by words, as a share of the best. */
  readonly share: number;
  /** Undefined for a match by words alone. */
  readonly similarity: number | undefined;
};

/** Merges matches by words and by meaning in one order (MS3). */
export function fuseMatches(
  { embedder }: Pick<MemoryWork, "embedder">,
  { query, wanted }: { readonly query: string; readonly wanted: number },
  by: { readonly text: readonly TextMatch[]; readonly near: readonly Near[] },
): readonly Candidate[] {
  const best = by.text[0]?.score || 1;
  const found = new Map<string, Candidate>();
  for (const { record, score } of by.text)
    found.set(record.id, { record, share: score / best, similarity: undefined });
  for (const { record, similarity } of by.near)
    found.set(record.id, { record, share: found.get(record.id)?.share ?? 0, similarity });
  const { unrelated = 0, alike = 0.85 } = embedder.similarity ?? {};
  const near = new Map(by.near.map(({ record, similarity }) => [record.id, similarity]));
  const ofWords = isLexical({ embedder });
  // A match by words alone is at most as near as the last match of the index.
  const floor = ofWords ? unrelated : Math.min(...near.values());
  const unit = (ofWords ? LEXICAL_WEIGHT : MEANING_WEIGHT) / (alike - unrelated || 1);
  const rankOf = ({ record, share, similarity = floor }: Candidate): number => {
    const { neighbours = [] } = ofWords ? {} : record;
    const around = neighbours.reduce((sum, id) => sum + (near.get(id) ?? floor) - floor, 0);
    return share + (near.size === 0 ? 0 : unit * (similarity - floor + NEIGHBOUR_WEIGHT * around));
  };
  const inOrder = (candidates: Iterable<Candidate>): readonly Candidate[] =>
    Array.from(candidates, (each) => ({ each, rank: rankOf(each) }))
      .toSorted(
        (one, other) =>
          other.rank - one.rank || (one.each.record.id < other.each.record.id ? -1 : 1),
      )
      .map(({ each }) => each);
  const ordered = inOrder(found.values());
  if (embedder.compare === undefined) return ordered;
  // Best by words, and nearest without words: chance meetings in short vectors hide the latter.
  const most = Math.max(COMPARED, wanted);
  const wordless = ordered.filter(({ share }) => share === 0);
  const head = [...new Set([...ordered.slice(0, most), ...wordless.slice(0, COMPARED_WORDLESS)])];
  const isHead = new Set(head);
  const similarities = embedder.compare(query, head.map(comparedText));
  const exact = head.map((each, place) => ({ ...each, similarity: similarities[place] }));
  return [...inOrder(exact), ...ordered.filter((each) => !isHead.has(each))];
}

/** Replaces similarities with the embedder's comparison of the texts, if it has one. Best first. */
export function compared(
  { embedder }: Pick<MemoryWork, "embedder">,
  query: string,
  near: readonly Near[],
): readonly Near[] {
  if (embedder.compare === undefined) return near;
  const texts = near.map(({ record }) => record.content.slice(0, MEMORY_LIMITS.maxEmbeddedLength));
  const similarities = embedder.compare(query, texts);
  return near
    .map(({ record }, place) => ({ record, similarity: similarities[place] ?? 0 }))
    .toSorted(bySimilarity);
}

/** True if the embedder compares words and has no language model. */
export function isLexical({ embedder }: Pick<MemoryWork, "embedder">): boolean {
  return embedder.compare !== undefined;
}

/** Returns the part of a text that is compared with a question. */
export function comparedText({ record }: Pick<Near, "record">): string {
  return record.content.slice(0, MAX_COMPARED_LENGTH);
}

/** Orders matches by similarity, the highest first. */
export function bySimilarity(one: Near, other: Near): number {
  return other.similarity - one.similarity;
}
