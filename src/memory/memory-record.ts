import type { JsonObject, JsonValue } from "../base/json.ts";

/** One memory. Its vector is in the vector store. */
export type MemoryRecord = {
  /** A UUID. */
  readonly id: string;
  readonly content: string;
  /** Path such as `/crew/briefing`. */
  readonly scope: string;
  readonly categories: readonly string[];
  readonly metadata: JsonObject;
  /** 0 to 1. */
  readonly importance: number;
  /** Time of the statement; ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly lastAccessed: string;
  /** Origin of the record: a user, a session, a document. */
  readonly source?: string;
  /** Limits the record to recalls with the same source and recalls including private ones. */
  readonly private: boolean;
  /** Name of the person or agent who said it. A question with the name prefers it. */
  readonly speaker?: string;
  /** Conversation in which it was said. */
  readonly conversation?: string;
  /** Text around it, such as the task of an answer. Recalls find it by these words with a lower weight. */
  readonly context?: string;
  /** Ids of the records before and after it in its conversation or batch, at most four. Part of its context. */
  readonly neighbours?: readonly string[];
};

/** Reason for a match. */
type MatchReason = "semantic" | "recency" | "importance";

/** Weighted summands of a score. */
export type ScoreParts = {
  readonly similarity: number;
  readonly recency: number;
  readonly importance: number;
  /** Amount added to the similarity by the combined rank of words and meaning. Hybrid recall only. */
  readonly rank?: number;
};

/** Match as stored in journals and sent over HTTP. */
export type MatchData = {
  readonly record: MemoryRecord;
  readonly score: number;
  /** Absent in journals of older versions. */
  readonly similarity?: number;
  /** Absent in journals of older versions. */
  readonly parts?: ScoreParts;
  readonly matchReasons: readonly MatchReason[];
  readonly evidenceGaps: readonly string[];
};

/** Recalled record with its score. */
export class MemoryMatch implements MatchData {
  readonly record: MemoryRecord;
  /** Score of similarity, recency and importance. Higher is better; at most 1 with the default weights. */
  readonly score: number;
  /** Similarity to the question, 0 to 1, as compared with `minScore`. */
  readonly similarity: number;
  /** Summands of the score. */
  readonly parts?: ScoreParts;
  readonly matchReasons: readonly MatchReason[];
  /** Information a model missed among the records it saw. Set only on the first match of a recall. */
  readonly evidenceGaps: readonly string[];

  constructor({ record, score, similarity = 0, parts, matchReasons, evidenceGaps }: MatchData) {
    this.record = record;
    this.score = score;
    this.similarity = similarity;
    if (parts !== undefined) this.parts = parts;
    this.matchReasons = matchReasons;
    this.evidenceGaps = evidenceGaps;
  }

  /** Returns the match as text for a model: `- (score=0.85) speaker: content`, then categories and metadata on a line each. */
  format(): string {
    const { content, categories, metadata, speaker } = this.record;
    const said = speaker === undefined ? content : `${speaker}: ${content}`;
    const lines = [`- (score=${this.score.toFixed(2)}) ${said}`];
    if (categories.length > 0) lines.push(`  categories: ${categories.join(", ")}`);
    for (const [key, value] of Object.entries(metadata))
      if (value !== null) lines.push(`  ${key}: ${asText(value)}`);
    return lines.join("\n");
  }
}

function asText(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.join(", ");
  return JSON.stringify(value);
}

/** Contents of a path and the paths below it. */
export type ScopeInfo = {
  readonly path: string;
  readonly recordCount: number;
  /** Sorted alphabetically, like `childScopes`. */
  readonly categories: readonly string[];
  /** Creation times of the oldest and the newest record; ISO 8601, UTC. */
  readonly oldestRecord?: string;
  readonly newestRecord?: string;
  /** Whole paths of the scopes directly below. */
  readonly childScopes: readonly string[];
};
