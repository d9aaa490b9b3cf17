// Stored records around the texts of a save, read at one position in the order of writes (SV3).
import { mapAtMost } from "../base/concurrency.ts";
import { adoptIndex, isMismatch } from "./adopt-index.ts";
import { VECTOR_LIMITS } from "../vectors/vector-store.ts";
import type { ShownRecord } from "./analysis.ts";
import { reaches } from "./embed.ts";
import { isInScope, withinScope } from "./memory-path.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { MemoryRecords } from "./memory-records.ts";
import type { MemoryWork } from "./memory-work.ts";
import { nearest, unindexedIn } from "./nearest.ts";
import { isOwnerless } from "./record-filter.ts";
import { NEIGHBOURS } from "./record-words.ts";
import { isComplete, searchScope, type SaveItem, type SaveRequest } from "./save-request.ts";

/** Records near an item, nearest first. */
export type Similar = ReadonlyArray<ShownRecord & { readonly score: number }>;

export type Surroundings = {
  readonly mark: number;
  readonly nowMs: number;
  /** Similar records in the order of the items; empty if no record is near enough. */
  readonly similar: readonly Similar[];
  /** Records with exactly the text of an item, by the position of the item. Absent in journals of older versions. */
  readonly equal?: ReadonlyArray<Pick<MemoryRecord, "id" | "scope"> | null>;
  /** Ids of the last records of the conversation, oldest first. Absent in journals of older versions. */
  readonly before?: readonly string[];
  /** Paths below the root and categories, for the model's proposals. */
  readonly scopes: readonly string[];
  readonly categories: readonly string[];
};

const SEARCHES_AT_ONCE = 5;
/** Number of the newest records of a conversation among which the last visible ones are looked for. */
const MAX_CONVERSATION_READ = 8;
const MAX_PROPOSALS = 50;
/**
 * Length of a similar record shown to a model, in characters: maximum, minimum for a save of many texts, and total for
 * a save.
 */
const MAX_SHOWN_LENGTH = 4000;
const MIN_SHOWN_LENGTH = 200;
const MAX_SHOWN = 1_000_000;
/** Total length of texts in one query for equal records, in characters. */
const MAX_ASKED_LENGTH = 400_000;

export function surroundings(
  work: MemoryWork,
  request: SaveRequest,
  { items, attempt }: { readonly items: readonly SaveItem[]; readonly attempt: number },
): Promise<Surroundings> {
  const { records, settings, steps } = work;
  const { root } = request;
  const viewer = { visibleTo: request.source ?? null };
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
        if (isMismatch(error)) {
          if (!work.ownsIndex || records.adoptIndex === undefined) throw error;
          await adoptIndex(work, { dimension: vector.length, nowMs });
        }
        signal.throwIfAborted();
        return [];
      }
    });
    const proposals = needsProposals
      ? await Promise.all([
          records.scopes(root, MAX_PROPOSALS, viewer),
          records.categories(root, viewer),
        ])
      : undefined;
    return {
      mark,
      nowMs,
      similar,
      before: await lastOfConversation(records, request),
      equal: items.map(({ content }) => {
        const record = known.get(content);
        return record === undefined ? null : { id: record.id, scope: record.scope };
      }),
      scopes: proposals?.[0].map((entry) => withinScope(root, entry.scope)) ?? [],
      categories: Object.keys(proposals?.[1] ?? {}).slice(0, MAX_PROPOSALS),
    };
  });
}

/** Returns the ids of the last records of the conversation with the same source and privacy, oldest first. */
async function lastOfConversation(
  records: MemoryRecords,
  { conversation, source, private: isPrivate, root }: SaveRequest,
): Promise<readonly string[]> {
  if (conversation === undefined) return [];
  const last = await records.lastOf(conversation, MAX_CONVERSATION_READ);
  return last
    .filter(
      (record) =>
        record.source === source && record.private === isPrivate && isInScope(record.scope, root),
    )
    .slice(0, NEIGHBOURS.before)
    .map(({ id }) => id)
    .toReversed();
}

/**
 * Returns records possibly equivalent to a vector's text, of the same source and privacy; empty if even the nearest is
 * too far.
 */
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
  if (isOwnerless(request)) return [];
  const scope = searchScope(request);
  const near = await nearest(work, by.vector, {
    // The index cannot filter by an absent source, so some of its matches may have one.
    limit: Math.min(consolidationLimit * (source === undefined ? 4 : 1), VECTOR_LIMITS.maxLimit),
    filter: { scope, private: isPrivate, ...(source === undefined ? {} : { source }) },
    recordFilter: { scope },
    unindexed: by.unindexed,
  });
  const own = near.filter(({ record }) => record.private === isPrivate && record.source === source);
  const isNear = reaches(own[0]?.similarity ?? 0, consolidationThreshold);
  return isNear ? own.slice(0, consolidationLimit) : [];
}

/**
 * Returns the records with exactly these texts, by text: at the scope of the request, or anywhere in the root without
 * one.
 */
export async function equalRecords(
  records: MemoryRecords,
  request: SaveRequest,
  items: readonly Pick<SaveItem, "content">[],
): Promise<ReadonlyMap<string, MemoryRecord>> {
  const scope = searchScope(request);
  const found = new Map<string, MemoryRecord>();
  if (isOwnerless(request)) return found;
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

/** Returns a record to show to a model. Long texts are cut and marked. */
export function shown(
  { id, scope, importance, createdAt, content }: Omit<MemoryRecord, "private">,
  maxLength: number,
): ShownRecord {
  return content.length <= maxLength
    ? { id, scope, importance, createdAt, text: content, isWhole: true }
    : { id, scope, importance, createdAt, text: content.slice(0, maxLength).toWellFormed() };
}
