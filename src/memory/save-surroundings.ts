// What is stored around the texts of a save, as it is at one place in the order of writes (SV3).
import { mapAtMost } from "../base/concurrency.ts";
import { EngineError } from "../base/error.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import type { ShownRecord } from "./analysis.ts";
import { reaches } from "./embed.ts";
import { withinScope } from "./memory-path.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { MemoryRecords } from "./memory-records.ts";
import type { MemoryWork } from "./memory-work.ts";
import { nearest, unindexedIn } from "./nearest.ts";
import { isComplete, searchScope, type SaveItem, type SaveRequest } from "./save-request.ts";

/** Records near an item, nearest first. */
export type Similar = ReadonlyArray<ShownRecord & { readonly score: number }>;

export type Surroundings = {
  readonly mark: number;
  readonly nowMs: number;
  /** In the order of the items; empty where nothing is near enough to be compared. */
  readonly similar: readonly Similar[];
  /** Where the very text is stored already, by the place of the item. Absent in journals of older versions. */
  readonly equal?: ReadonlyArray<Pick<MemoryRecord, "id" | "scope"> | null>;
  /** For proposals: paths below the root, and categories. */
  readonly scopes: readonly string[];
  readonly categories: readonly string[];
};

const SEARCHES_AT_ONCE = 5;
const MAX_PROPOSALS = 50;
/** Of a similar record as a model is shown it, in characters: of a save of few texts, of one of many, and of a save in all. */
const MAX_SHOWN_LENGTH = 4000;
const MIN_SHOWN_LENGTH = 200;
const MAX_SHOWN = 1_000_000;
/** Of the texts of one look for equal ones, in characters. */
const MAX_ASKED_LENGTH = 400_000;

export function surroundings(
  work: MemoryWork,
  request: SaveRequest,
  { items, attempt }: { readonly items: readonly SaveItem[]; readonly attempt: number },
): Promise<Surroundings> {
  const { records, settings, steps } = work;
  const { root } = request;
  const needsProposals = !isComplete(request) && attempt === 1;
  return steps.step<Surroundings>(`similar:${attempt}`, async ({ signal, nowMs }) => {
    const mark = await records.mark();
    const unindexed = await unindexedIn(work, searchScope(request), signal);
    const known = await equalRecords(records, request, items);
    const shownLength = Math.max(
      MIN_SHOWN_LENGTH,
      Math.min(MAX_SHOWN_LENGTH, MAX_SHOWN / (items.length * settings.consolidationLimit)),
    );
    const similar = await mapAtMost(items, SEARCHES_AT_ONCE, async ({ content, vector }) => {
      if (vector === undefined || known.has(content)) return [];
      try {
        const near = await alike(work, request, { vector, unindexed });
        return near.map(({ record, similarity }) => ({
          ...shown(record, shownLength),
          score: similarity,
        }));
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
      equal: items.map(({ content }) => {
        const record = known.get(content);
        return record === undefined ? null : { id: record.id, scope: record.scope };
      }),
      scopes: proposals?.[0].map((entry) => withinScope(root, entry.scope)) ?? [],
      categories: Object.keys(proposals?.[1] ?? {}).slice(0, MAX_PROPOSALS),
    };
  });
}

/** What may say the same as a vector's text, of the same source and privacy; nothing where even the nearest is too far away. */
async function alike(
  work: MemoryWork,
  request: SaveRequest,
  by: {
    readonly vector: Float32Array;
    readonly unindexed: Awaited<ReturnType<typeof unindexedIn>>;
  },
) {
  const { consolidationLimit, consolidationThreshold } = work.settings;
  const { source, private: isPrivate } = request;
  const scope = searchScope(request);
  const near = await nearest(work, by.vector, {
    // Records of nobody cannot be asked for: of those that are found, some may be somebody's.
    limit: Math.min(consolidationLimit * (source === undefined ? 4 : 1), VECTOR_LIMITS.maxLimit),
    filter: { scope, private: isPrivate, ...(source === undefined ? {} : { source }) },
    recordFilter: { scope },
    unindexed: by.unindexed,
  });
  const own = near.filter(({ record }) => record.private === isPrivate && record.source === source);
  const isNear = reaches(own[0]?.similarity ?? 0, consolidationThreshold);
  return isNear ? own.slice(0, consolidationLimit) : [];
}

/** Records of the very texts, by text: at the scope of the request; where it names none, anywhere in the root. */
export async function equalRecords(
  records: MemoryRecords,
  request: SaveRequest,
  items: readonly Pick<SaveItem, "content">[],
): Promise<ReadonlyMap<string, MemoryRecord>> {
  const scope = searchScope(request);
  const found = new Map<string, MemoryRecord>();
  let rest = items.map(({ content }) => content);
  while (rest.length > 0) {
    let length = 0;
    const cut = rest.findIndex((content) => (length += content.length) > MAX_ASKED_LENGTH);
    const contents = cut === -1 ? rest : rest.slice(0, Math.max(1, cut));
    rest = rest.slice(contents.length);
    const { items: equal } = await records.list({ scope, contents }, { limit: 1000 });
    for (const record of equal)
      if (
        record.private === request.private &&
        record.source === request.source &&
        (request.scope === undefined || record.scope === scope)
      )
        found.set(record.content, record);
  }
  return found;
}

/** The beginning of a long record is shown, and marked as one. */
export function shown(
  { id, scope, importance, createdAt, content }: Omit<MemoryRecord, "private">,
  maxLength: number,
): ShownRecord {
  return content.length <= maxLength
    ? { id, scope, importance, createdAt, text: content, isWhole: true }
    : { id, scope, importance, createdAt, text: content.slice(0, maxLength).toWellFormed() };
}
