// Request of a save, its texts, and their new records.
import { isoTime } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { wordsOf } from "../text/index.ts";
import { unitVector } from "../vectors/check-vectors.ts";
import { PackedVectors } from "../vectors/packed-vectors.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import type { SaveAnalysis } from "./analysis.ts";
import { ROUNDING } from "./embed.ts";
import { joinScopePaths } from "./memory-path.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { MemoryWork } from "./memory-work.ts";

/** Circumstances of a text, as fields of its record. */
export type StatementAbout = Partial<Pick<MemoryRecord, "speaker" | "context" | "createdAt">>;

export type SaveRequest = {
  readonly contents: readonly string[];
  readonly root: string;
  /** Scope below the root. */
  readonly scope?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly metadata: JsonObject;
  readonly importance?: number | undefined;
  readonly source?: string | undefined;
  readonly private: boolean;
  readonly conversation?: string | undefined;
  /** Circumstances by the position of the text, and of texts without their own. */
  readonly each?: readonly StatementAbout[];
  readonly shared?: StatementAbout;
};

/** Text to store, with its vector. */
export type SaveItem = {
  readonly index: number;
  readonly content: string;
  readonly id: string;
  readonly vector: Float32Array | undefined;
};

/** True if the request leaves no value for a model to choose. */
export function isComplete({ scope, categories, importance }: SaveRequest): boolean {
  return scope !== undefined && categories !== undefined && importance !== undefined;
}

/** Scope of the search for similar records. */
export function searchScope({ root, scope }: SaveRequest): string {
  return joinScopePaths(root, scope);
}

/** Returns the texts without repetitions of an earlier one (SV2). */
export function distinctItems(
  { steps, settings }: MemoryWork,
  contents: readonly string[],
  vectors: ReadonlyArray<Float32Array | undefined>,
): readonly SaveItem[] {
  const dimension = vectors.find((vector) => vector !== undefined)?.length ?? 0;
  const kept = new PackedVectors(dimension, "float32");
  const texts = new Set<string>();
  const floor = settings.batchDedupThreshold - ROUNDING;
  return contents.flatMap((content, index) => {
    const vector = vectors[index];
    const unit = vector?.length === dimension ? unitVector(vector) : undefined;
    const near = unit === undefined ? [] : kept.search(unit, { limit: 5, floor, filter: {} });
    const isRepeated = near.some(({ id }) => !saysMore(content, contents[Number(id)] ?? ""));
    if (isRepeated || texts.has(content)) return [];
    texts.add(content);
    if (unit !== undefined) kept.set(`${index}`, unit);
    return [{ index, content, id: steps.id(), vector }];
  });
}

/**
 * True if a text has a word or number missing from the other. A digit barely changes a vector but can change the whole
 * meaning.
 */
function saysMore(text: string, other: string): boolean {
  const known = new Set(wordsOf(other));
  return wordsOf(text).some((word) => !known.has(word));
}

/** Creates the record of a text. `scope` is the scope of an equal text, whose place it takes. */
export function newRecord(
  request: SaveRequest,
  { id, content, index }: SaveItem,
  by: {
    readonly analysis: SaveAnalysis | undefined;
    readonly scope: string | undefined;
    readonly defaultImportance: number;
    readonly nowMs: number;
    readonly neighbours: readonly string[];
  },
): MemoryRecord {
  const { root, scope, categories, metadata, importance, source, private: isPrivate } = request;
  const { conversation, each = [], shared = {} } = request;
  const { analysis } = by;
  const at = isoTime(by.nowMs);
  return {
    id,
    content,
    scope: by.scope ?? scopeWithin(root, scope ?? analysis?.scope),
    categories: categories ?? analysis?.categories ?? [],
    metadata: { ...metadata, ...analysis?.metadata },
    importance: importance ?? analysis?.importance ?? by.defaultImportance,
    createdAt: at,
    lastAccessed: at,
    ...(source === undefined ? undefined : { source }),
    private: isPrivate,
    ...(conversation === undefined ? undefined : { conversation }),
    ...(each[index] ?? shared),
    ...(by.neighbours.length === 0 ? undefined : { neighbours: by.neighbours }),
  };
}

/** Returns the root if a proposed path below it would be too long for the stores. */
function scopeWithin(root: string, inner: string | undefined): string {
  const scope = joinScopePaths(root, inner);
  const { maxScopeLength, maxScopeDepth } = VECTOR_LIMITS;
  return scope.length > maxScopeLength || scope.split("/").length - 1 > maxScopeDepth
    ? root
    : scope;
}
