import type { MatchData, MemoryRecord } from "./memory-record.ts";
import type { MemorySettings } from "./memory-options.ts";

const DAY_MS = 86_400_000;

type Weights = Pick<
  MemorySettings,
  "semanticWeight" | "recencyWeight" | "importanceWeight" | "recencyHalfLifeDays"
>;

/**
 * Scores a record as a match: the weighted sum of `similarity` (a cosine in [0, 1]), recency and importance. Recency
 * falls with the age since creation.
 * The score has no upper limit: weights with a sum above 1 yield scores above 1.
 */
export function compositeScore(
  {
    similarity,
    record,
  }: { similarity: number; record: Pick<MemoryRecord, "createdAt" | "importance"> },
  nowMs: number,
  weights: Weights,
): {
  readonly score: number;
  /** Summands of the score. */
  readonly parts: {
    readonly similarity: number;
    readonly recency: number;
    readonly importance: number;
  };
  readonly matchReasons: MatchData["matchReasons"];
} {
  const ageDays = Math.max(0, nowMs - Date.parse(record.createdAt)) / DAY_MS;
  const decay = 0.5 ** (ageDays / weights.recencyHalfLifeDays);
  const matchReasons: MatchData["matchReasons"][number][] = ["semantic"];
  if (decay > 0.5) matchReasons.push("recency");
  if (record.importance > 0.5) matchReasons.push("importance");
  const parts = {
    similarity: weights.semanticWeight * similarity,
    recency: weights.recencyWeight * decay,
    importance: weights.importanceWeight * record.importance,
  };
  return { score: parts.similarity + parts.recency + parts.importance, parts, matchReasons };
}
