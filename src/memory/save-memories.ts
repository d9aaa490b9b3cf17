// From texts to records, in five steps.
//
//   SV1. embed: all texts, batch by batch (embed.ts).
//   SV2. dedup: a text that is nearly one before it is dropped.
//   SV3. similar: what is stored already and near, within the root and the scope of the call; never of another source or privacy.
//   SV4. analyse: a model is asked only for what the call leaves out (A: nothing, C: where it belongs), and what becomes of similar records (B; D: both).
//   SV5. write: all changes of the save in one transaction; then the index is updated.
//
//   SV6. Nothing lost: a model or an index that fails costs a default or a vector, never the content.
//   SV7. Nothing double: ids follow from the place in the run, and a write that is repeated changes nothing (MR2).
//   SV8. Two at once: a write that something came before in its scope looks again for what is similar. After `MAX_TRIES` it stores what is
//        new and changes nothing that is there.
import { isoTime } from "../base/clock.ts";
import { mapAtMost } from "../base/concurrency.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { unitVector } from "../vectors/check-vectors.ts";
import { PackedVectors } from "../vectors/packed-vectors.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import {
  askConsolidation,
  askSaveAnalysis,
  INSERT_ONLY,
  type ConsolidationPlan,
  type SaveAnalysis,
  type ShownRecord,
} from "./analysis.ts";
import { embedTexts, reaches, ROUNDING } from "./embed.ts";
import { dropStale, indexRecords, repairIndex } from "./index-repair.ts";
import { joinScopePaths, withinScope } from "./memory-path.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { workAt, type MemoryWork } from "./memory-work.ts";
import { nearest, recordsById, unindexedIn } from "./nearest.ts";

export type SaveRequest = {
  readonly contents: readonly string[];
  readonly root: string;
  /** Below the root. */
  readonly scope?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly metadata: JsonObject;
  readonly importance?: number | undefined;
  readonly source?: string | undefined;
  readonly private: boolean;
};

export type SaveOutcome = {
  /** What became of the first text: its own record, the one that it went into, or the nearest that says the same. */
  readonly first: MemoryRecord | null;
  /** Ids of what was made, changed and deleted. */
  readonly saved: readonly string[];
  /** Why some of it is not in the index. */
  readonly degraded?: string;
};

/** A text that is to be stored, and what is known of it so far. */
type Item = {
  readonly index: number;
  readonly content: string;
  readonly id: string;
  readonly vector: Float32Array | undefined;
};

/** Records near an item, nearest first. */
type Similar = ReadonlyArray<ShownRecord & { readonly score: number }>;

type Surroundings = {
  readonly mark: number;
  readonly nowMs: number;
  /** In the order of the items. */
  readonly similar: readonly Similar[];
  /** For proposals: paths below the root, and categories. */
  readonly scopes: readonly string[];
  readonly categories: readonly string[];
};

type Plan = {
  readonly analysis: SaveAnalysis | undefined;
  readonly consolidation: ConsolidationPlan;
};

type Written = {
  readonly state: "done" | "conflict";
  readonly version: number;
  readonly updated: readonly MemoryRecord[];
  readonly deleted: readonly string[];
  /** Nearest records of items that were not stored. */
  readonly existing: readonly MemoryRecord[];
};

/** How often a save looks again after another one came before it. */
const MAX_TRIES = 6;
const SEARCHES_AT_ONCE = 5;
const ANALYSES_AT_ONCE = 10;
/** Of a similar record as a model is shown it, in characters. */
const SHOWN_LENGTH = 200;
const MAX_PROPOSALS = 50;
/** Vectors that a save makes up for. */
const MAX_REPAIRS = 100;

/** Throws `embedding_mismatch` before anything is written when the index was made by another model. */
export async function saveMemories(work: MemoryWork, request: SaveRequest): Promise<SaveOutcome> {
  const { steps, embedder } = work;
  const { contents } = request;
  const embedded = await embedTexts(steps, embedder, { texts: contents, segment: "contents" });
  const items = distinct(work, contents, embedded.vectors);
  const analyses = new Map<number, Promise<SaveAnalysis>>();
  const consolidations = new Map<string, Promise<ConsolidationPlan>>();
  for (let attempt = 1; ; attempt++) {
    // oxlint-disable-next-line no-await-in-loop -- each try begins after the last one
    const found = await surroundings(work, request, { items, attempt });
    // oxlint-disable-next-line no-await-in-loop -- as above
    const plans = await mapAtMost(items, ANALYSES_AT_ONCE, (item, place) =>
      planFor(work, request, {
        item,
        similar: found.similar[place] ?? [],
        found,
        attempt,
        analyses,
        consolidations,
      }),
    );
    // oxlint-disable-next-line no-await-in-loop -- as above
    const outcome = await write(work, request, { items, plans, found, attempt });
    if (outcome !== undefined)
      return embedded.error === undefined ? outcome : { degraded: embedded.error, ...outcome };
  }
}

/** The texts without those that repeat an earlier one (SV2). Texts that have no vector repeat only their very words. */
function distinct(
  { steps, settings }: MemoryWork,
  contents: readonly string[],
  vectors: ReadonlyArray<Float32Array | undefined>,
): readonly Item[] {
  const dimension = vectors.find((vector) => vector !== undefined)?.length ?? 0;
  const kept = new PackedVectors(dimension, "float32");
  const texts = new Set<string>();
  const floor = settings.batchDedupThreshold - ROUNDING;
  return contents.flatMap((content, index) => {
    const vector = vectors[index];
    const unit = vector?.length === dimension ? unitVector(vector) : undefined;
    const isNear =
      unit !== undefined && kept.search(unit, { limit: 1, floor, filter: {} }).length > 0;
    if (isNear || texts.has(content)) return [];
    texts.add(content);
    if (unit !== undefined) kept.set(`${index}`, unit);
    return [{ index, content, id: steps.id(), vector }];
  });
}

/** What is stored around the items (SV3), as it is at one place in the order of writes. */
function surroundings(
  work: MemoryWork,
  request: SaveRequest,
  { items, attempt }: { readonly items: readonly Item[]; readonly attempt: number },
): Promise<Surroundings> {
  const { records, settings, steps } = work;
  const { root, source, private: isPrivate } = request;
  const scope = searchScope(request);
  const needsProposals = !isComplete(request) && attempt === 1;
  return steps.step<Surroundings>(`similar:${attempt}`, async ({ signal, nowMs }) => {
    const mark = await records.mark();
    const unindexed = await unindexedIn(work, scope, signal);
    const similar = await mapAtMost(items, SEARCHES_AT_ONCE, async ({ vector }) => {
      if (vector === undefined) return [];
      try {
        const near = await nearest(work, vector, {
          // Records of nobody cannot be asked for: of those that are found, some may be somebody's.
          limit: Math.min(
            settings.consolidationLimit * (source === undefined ? 4 : 1),
            VECTOR_LIMITS.maxLimit,
          ),
          filter: { scope, private: isPrivate, ...(source === undefined ? {} : { source }) },
          recordFilter: { scope },
          unindexed,
        });
        return near
          .filter(({ record }) => record.private === isPrivate && record.source === source)
          .slice(0, settings.consolidationLimit)
          .map(({ record, similarity }) => ({ ...shown(record), score: similarity }));
      } catch (error) {
        if (EngineError.is(error) && error.code === "embedding_mismatch") throw error;
        signal.throwIfAborted();
        return [];
      }
    });
    const proposals = needsProposals
      ? await Promise.all([records.scopes(root, MAX_PROPOSALS), records.categories(root)])
      : undefined;
    return {
      mark,
      nowMs,
      similar,
      scopes: proposals?.[0].map((entry) => withinScope(root, entry.scope)) ?? [],
      categories: Object.keys(proposals?.[1] ?? {}).slice(0, MAX_PROPOSALS),
    };
  });
}

/** Asks a model for what is missing (SV4). On later tries only for what is new among the similar records. */
async function planFor(
  work: MemoryWork,
  request: SaveRequest,
  around: {
    readonly item: Item;
    readonly similar: Similar;
    readonly found: Surroundings;
    readonly attempt: number;
    readonly analyses: Map<number, Promise<SaveAnalysis>>;
    readonly consolidations: Map<string, Promise<ConsolidationPlan>>;
  },
): Promise<Plan> {
  const { item, similar, found, attempt, analyses, consolidations } = around;
  const { content, index } = item;
  const place = work.steps.at(`item:${index}`);
  const { scopes, categories } = found;
  if (!isComplete(request) && !analyses.has(index)) {
    const at = workAt(work, place.at("analysis"));
    analyses.set(index, askSaveAnalysis(at, { content, scopes, categories }));
  }
  const isNear = reaches(similar[0]?.score ?? 0, work.settings.consolidationThreshold);
  const key = `${index}:${similar.map(({ id, text }) => `${id}=${text}`).join("\n")}`;
  if (isNear && !consolidations.has(key)) {
    const segment = attempt === 1 ? "consolidation" : `consolidation~${attempt}`;
    consolidations.set(key, askConsolidation(workAt(work, place.at(segment)), content, similar));
  }
  const [analysis, consolidation] = await Promise.all([
    analyses.get(index),
    isNear ? consolidations.get(key) : undefined,
  ]);
  return { analysis, consolidation: consolidation ?? INSERT_ONLY };
}

/** Makes all changes at once (SV5); undefined when another save came before. */
async function write(
  work: MemoryWork,
  request: SaveRequest,
  made: {
    readonly items: readonly Item[];
    readonly plans: readonly Plan[];
    readonly found: Surroundings;
    readonly attempt: number;
  },
): Promise<SaveOutcome | undefined> {
  const { steps, records, embedder } = work;
  const { items, plans, found, attempt } = made;
  const isLast = attempt >= MAX_TRIES;
  // The first action on a record wins, whichever item it came with.
  const actions = new Map<string, ConsolidationPlan["actions"][number]>();
  if (!isLast)
    for (const action of plans.flatMap(({ consolidation }) => consolidation.actions))
      if (!actions.has(action.id)) actions.set(action.id, action);
  const updates = [...actions.values()].filter((action) => action.action === "update");
  const deletes = [...actions.values()].filter(({ action }) => action === "delete");
  const inserts = items.flatMap((item, place) => {
    const plan = plans[place];
    // A text that was to go into another record is stored by itself when that record is left alone.
    const isHomeless = isLast && (plan?.consolidation.actions.length ?? 0) > 0;
    if (plan === undefined || (!plan.consolidation.insertNew && !isHomeless)) return [];
    return [
      {
        record: newRecord(request, item, { plan, settings: work.settings, nowMs: found.nowMs }),
        item,
      },
    ];
  });
  const nearestIds = items.flatMap((_, place) => found.similar[place]?.[0]?.id ?? []);
  const updated = await embedTexts(steps, embedder, {
    texts: updates.map((action) => action.content),
    segment: `updates:${attempt}`,
  });
  const written = await steps.step<Written>(`write:${attempt}`, async ({ key, nowMs }) => {
    const current = await recordsById(records, [...updates.map(({ id }) => id), ...nearestIds]);
    const changed = updates.flatMap(({ id, content }) => {
      const record = current.get(id);
      return record === undefined ? [] : [{ ...record, content, lastAccessed: isoTime(nowMs) }];
    });
    const result = await records.apply({
      op: key,
      atMs: nowMs,
      since: isLast ? undefined : { mark: found.mark, scope: searchScope(request) },
      deletes: deletes.map(({ id }) => id),
      updates: changed,
      inserts: inserts.map(({ record }) => record),
    });
    return {
      state: result.state,
      version: result.state === "done" ? result.version : 0,
      updated: changed,
      deleted: deletes.map(({ id }) => id),
      existing: nearestIds.flatMap((id) => current.get(id) ?? []),
    };
  });
  if (written.state === "conflict") return undefined;
  const vectorOf = new Map(updates.map(({ id }, place) => [id, updated.vectors[place]]));
  const entries = [
    ...inserts.map(({ record, item }) => ({ record, vector: item.vector })),
    ...written.updated.map((record) => ({ record, vector: vectorOf.get(record.id) })),
  ].flatMap(({ record, vector }) => (vector === undefined ? [] : [{ record, vector }]));
  const degraded = await updateIndex(work, entries, written);
  const saved = [
    ...inserts.map(({ record }) => record.id),
    ...written.updated.map(({ id }) => id),
    ...written.deleted,
  ];
  const first = firstRecord({ plans, found, inserts, written });
  const error = degraded ?? updated.error;
  return { first, saved, ...(error === undefined ? undefined : { degraded: error }) };
}

/** What became of the first text. */
function firstRecord(from: {
  readonly plans: readonly Plan[];
  readonly found: Surroundings;
  readonly inserts: ReadonlyArray<{ readonly record: MemoryRecord; readonly item: Item }>;
  readonly written: Written;
}): MemoryRecord | null {
  const { plans, found, inserts, written } = from;
  const own = inserts.find(({ item }) => item.index === 0);
  if (own !== undefined) return own.record;
  const wanted = new Set(plans[0]?.consolidation.actions.map(({ id }) => id));
  const changed = written.updated.find(({ id }) => wanted.has(id));
  const nearestId = found.similar[0]?.[0]?.id;
  const there = written.existing.find(
    ({ id }) => id === nearestId && !written.deleted.includes(id),
  );
  return changed ?? there ?? null;
}

/** Brings the index up to date. What it does not take stays pending (MR4); answers why. */
async function updateIndex(
  work: MemoryWork,
  entries: ReadonlyArray<{ readonly record: MemoryRecord; readonly vector: Float32Array }>,
  { version, deleted }: Written,
): Promise<string | undefined> {
  try {
    await work.steps.step("index", async ({ signal }) => {
      await indexRecords(work, entries, version);
      if (deleted.length > 0) await dropStale(work);
      await repairIndex(work, { limit: MAX_REPAIRS, signal }).catch(() => signal.throwIfAborted());
    });
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function newRecord(
  request: SaveRequest,
  { id, content }: Item,
  by: { readonly plan: Plan; readonly settings: MemoryWork["settings"]; readonly nowMs: number },
): MemoryRecord {
  const { root, scope, categories, metadata, importance, source, private: isPrivate } = request;
  const { plan, settings, nowMs } = by;
  const { analysis } = plan;
  const at = isoTime(nowMs);
  return {
    id,
    content,
    scope: scopeWithin(root, scope ?? analysis?.scope),
    categories: categories ?? analysis?.categories ?? [],
    metadata: { ...metadata, ...analysis?.metadata },
    importance: importance ?? analysis?.importance ?? settings.defaultImportance,
    createdAt: at,
    lastAccessed: at,
    ...(source === undefined ? undefined : { source }),
    private: isPrivate,
  };
}

/** A proposed path may be too long for stores once it is below the root: then it is the root. */
function scopeWithin(root: string, inner: string | undefined): string {
  const scope = joinScopePaths(root, inner);
  const { maxScopeLength, maxScopeDepth } = VECTOR_LIMITS;
  return scope.length > maxScopeLength || scope.split("/").length - 1 > maxScopeDepth
    ? root
    : scope;
}

/** Nothing is left that a model would be asked for. */
function isComplete({ scope, categories, importance }: SaveRequest): boolean {
  return scope !== undefined && categories !== undefined && importance !== undefined;
}

function searchScope({ root, scope }: SaveRequest): string {
  return joinScopePaths(root, scope);
}

function shown({ id, scope, importance, createdAt, content }: MemoryRecord): ShownRecord {
  return { id, scope, importance, createdAt, text: content.slice(0, SHOWN_LENGTH).toWellFormed() };
}
