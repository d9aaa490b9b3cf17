import type { JsonObject, JsonValue } from "../base/json.ts";

/** One thing that is remembered. Its vector is kept with the vectors, never here. */
export type MemoryRecord = {
  /** A UUID. */
  readonly id: string;
  readonly content: string;
  /** A path such as `/crew/briefing`. */
  readonly scope: string;
  readonly categories: readonly string[];
  readonly metadata: JsonObject;
  /** 0 to 1. */
  readonly importance: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly lastAccessed: string;
  /** Where it comes from: a user, a session, a document. */
  readonly source?: string;
  /** Only recalls that name the same source, or ask for private ones, see it. */
  readonly private: boolean;
};

/** Why a record was found. */
type MatchReason = "semantic" | "recency" | "importance";

/** What a score is the sum of, each with its weight. */
export type ScoreParts = {
  readonly similarity: number;
  readonly recency: number;
  readonly importance: number;
  /** In hybrid recall: what the place in the order of words and meaning adds to the similarity. */
  readonly rank?: number;
};

/** A match as it crosses journals and HTTP. */
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

/** A record that was recalled. */
export class MemoryMatch implements MatchData {
  readonly record: MemoryRecord;
  /** Of similarity, age and importance: higher is better, and with the default weights at most 1. */
  readonly score: number;
  /** How near it is to the question, 0 to 1: what `minScore` is compared with. */
  readonly similarity: number;
  /** What the score is the sum of. */
  readonly parts?: ScoreParts;
  readonly matchReasons: readonly MatchReason[];
  /** What a model missed among the records it was shown; on the first match of a recall alone. */
  readonly evidenceGaps: readonly string[];

  constructor({ record, score, similarity = 0, parts, matchReasons, evidenceGaps }: MatchData) {
    this.record = record;
    this.score = score;
    this.similarity = similarity;
    if (parts !== undefined) this.parts = parts;
    this.matchReasons = matchReasons;
    this.evidenceGaps = evidenceGaps;
  }

  /** For a model: `- (score=0.85) content`, then its categories and metadata, a line each. */
  format(): string {
    const { content, categories, metadata } = this.record;
    const lines = [`- (score=${this.score.toFixed(2)}) ${content}`];
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

/** What is at a path and below it. */
export type ScopeInfo = {
  readonly path: string;
  readonly recordCount: number;
  /** In the order of the alphabet, as are `childScopes`. */
  readonly categories: readonly string[];
  /** When the oldest and the newest record were made; ISO 8601, UTC. */
  readonly oldestRecord?: string;
  readonly newestRecord?: string;
  /** The paths directly below, whole. */
  readonly childScopes: readonly string[];
};
