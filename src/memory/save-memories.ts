// Save: from texts to records, in five steps.
//
//   SV1. embed: all texts, batch by batch (embed.ts).
//   SV2. dedup: drops a text that nearly equals an earlier one and has no additional word.
//   SV3. similar: finds stored records near the texts, within the root and the scope of the call, only of the same
//        source and privacy.
//   - analyse: a model judges the texts and the similar records (save-plans.ts).
//   SV5. write: makes all changes of the save in one transaction; then the index is updated.
//
//   SV6. No loss: a failure or a bad answer of a model or index costs a default or a vector, never the content.
//   SV7. No duplicates: ids follow from the place in the run, a repeated write changes no records (MR2), and a text
//        stored already is not stored again (MR7).
//   SV8. Concurrent saves: if another write in its scope came first, a save searches for similar records again. After
//        `MAX_TRIES` it stores the new records and leaves the existing ones unchanged.
import { isoTime } from "../base/clock.ts";
import { errorMessage } from "../base/error.ts";
import { embedTexts } from "./embed.ts";
import { dropStale, indexRecords, repairIndex } from "./index-repair.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { MAX_RECORDS_PER_CALL } from "./memory-records.ts";
import { MEMORY_LIMITS, type MemoryWork } from "./memory-work.ts";
import type { StepHand } from "./memory-steps.ts";
import { recordsById } from "./nearest.ts";
import { neighboursAt } from "./record-words.ts";
import { SavePlans, type SettledPlans } from "./save-plans.ts";
import {
  distinctItems,
  newRecord,
  searchScope,
  type SaveItem,
  type SaveRequest,
} from "./save-request.ts";
import { equalRecords, surroundings, type Surroundings } from "./save-surroundings.ts";

export type SaveOutcome = {
  /** Record of the first text: its own, the record it was merged into, or an equivalent one. */
  readonly first: MemoryRecord | null;
  /** Ids of created, changed, deleted and equivalent records. */
  readonly saved: readonly string[];
  /** Reason for records missing from the index. */
  readonly degraded?: string;
};

type Written = {
  readonly state: "done" | "conflict";
  readonly version: number;
  readonly updated: readonly MemoryRecord[];
  readonly deleted: readonly string[];
  /** Records containing texts that were not inserted. */
  readonly existing: readonly MemoryRecord[];
  /**
   * Skipped new records: the id intended for each, and the record stored already. Absent in journals of older versions.
   */
  readonly equal?: ReadonlyArray<readonly [id: string, record: MemoryRecord]>;
};

type Insert = { readonly item: SaveItem; readonly record: MemoryRecord };

/** Maximum number of tries of a save after concurrent writes. */
const MAX_TRIES = 6;
/** Maximum number of missing vectors a save adds, and of outdated full texts it rewrites. */
const MAX_REPAIRS = 100;

/** Saves texts. Fails with `embedding_mismatch` before any write if another model made the index. */
export async function saveMemories(work: MemoryWork, request: SaveRequest): Promise<SaveOutcome> {
  const { steps, embedder } = work;
  const { contents } = request;
  const embedded = await embedTexts(steps, embedder, { texts: contents, segment: "contents" });
  const items = distinctItems(work, contents, embedded.vectors);
  const plans = new SavePlans(work, request);
  for (let attempt = 1; ; attempt++) {
    const found = await surroundings(work, request, { items, attempt });
    const settled = await plans.settle(items, found, attempt);
    const outcome = await write(work, request, { items, settled, found, attempt });
    if (outcome !== undefined)
      return embedded.error === undefined ? outcome : { degraded: embedded.error, ...outcome };
  }
}

/** One try of a save: its items, their plans and the records near them. */
type Attempt = {
  readonly items: readonly SaveItem[];
  readonly settled: SettledPlans;
  readonly found: Surroundings;
  readonly attempt: number;
};

/** Changes of one try. */
type Changes = {
  readonly updates: ReadonlyArray<readonly [id: string, content: string]>;
  readonly deletes: readonly string[];
  readonly inserts: readonly Insert[];
  /** Records with exactly the text of an item. */
  readonly repeated: readonly string[];
  /** Record that contains each item's text; undefined for items to insert. */
  readonly holders: ReadonlyArray<string | undefined>;
  /** All records of `holders`. */
  readonly held: readonly string[];
};

/** Makes all changes at once (SV5). Returns undefined if another save came first. */
async function write(
  work: MemoryWork,
  request: SaveRequest,
  made: Attempt,
): Promise<SaveOutcome | undefined> {
  const { steps, embedder } = work;
  const { items, attempt } = made;
  const changes = changesOf(work, request, made);
  const { updates, inserts, holders, held } = changes;
  const updated = await embedTexts(steps, embedder, {
    texts: updates.map(([, content]) => content),
    segment: `updates:${attempt}`,
  });
  const written = await steps.step(`write:${attempt}`, (hand) =>
    applied(work, request, { ...made, ...hand, changes }),
  );
  if (written.state === "conflict") return undefined;
  const equal = new Map(written.equal);
  const vectorOf = new Map(updates.map(([id], place) => [id, updated.vectors[place]]));
  const entries = [
    ...inserts
      .filter(({ record }) => !equal.has(record.id))
      .map(({ record, item }) => ({ record, vector: item.vector })),
    ...written.updated.map((record) => ({ record, vector: vectorOf.get(record.id) })),
  ].flatMap(({ record, vector }) => (vector === undefined ? [] : [{ record, vector }]));
  const error = (await updateIndex(work, entries, written)) ?? updated.error;
  const first =
    inserts[0]?.item === items[0]
      ? (equal.get(inserts[0]?.record.id ?? "") ?? inserts[0]?.record)
      : [...written.updated, ...written.existing].find(({ id }) => id === holders[0]);
  const saved = [
    ...inserts.map(({ record }) => equal.get(record.id)?.id ?? record.id),
    ...held,
    ...written.updated.map(({ id }) => id),
    ...written.deleted,
  ];
  return {
    first: first ?? null,
    saved: [...new Set(saved)],
    ...(error === undefined ? undefined : { degraded: error }),
  };
}

/** Returns the planned changes. In the last try, and above the limit of the store, existing records stay unchanged. */
function changesOf(
  { settings }: MemoryWork,
  request: SaveRequest,
  { items, settled, found, attempt }: Attempt,
): Changes {
  const { updates, deletes, analyses } = settled;
  const isTooMuch = items.length + updates.size + deletes.size > MAX_RECORDS_PER_CALL;
  const insertsAll = attempt >= MAX_TRIES || isTooMuch;
  const holders = insertsAll ? [] : settled.holders;
  const places = items.map(({ id }, place) => holders[place] ?? id);
  const inserts = items.flatMap((item, place): readonly Insert[] => {
    if (holders[place] !== undefined) return [];
    const record = newRecord(request, item, {
      analysis: analyses[place],
      scope: found.equal?.[place]?.scope,
      defaultImportance: settings.defaultImportance,
      nowMs: found.nowMs,
      neighbours: neighboursAt(places, place, found.before),
    });
    return [{ item, record }];
  });
  return {
    updates: insertsAll ? [] : [...updates],
    deletes: insertsAll ? [] : [...deletes],
    inserts,
    repeated: insertsAll ? [] : (found.equal ?? []).flatMap((equal) => equal?.id ?? []),
    holders,
    held: holders.filter((id) => id !== undefined),
  };
}

/** Applies the changes to the records, unless another save came first. */
async function applied(
  work: MemoryWork,
  request: SaveRequest,
  {
    changes,
    found,
    attempt,
    key,
    nowMs,
  }: Attempt & Pick<StepHand, "key" | "nowMs"> & { readonly changes: Changes },
): Promise<Written> {
  const { records } = work;
  const { updates, deletes, inserts, repeated, held } = changes;
  const changedIds = updates.map(([id]) => id);
  const current = await recordsById(records, [...changedIds, ...held, ...repeated]);
  const at = isoTime(nowMs);
  const changed = updates.flatMap(([id, content]) => {
    const record = current.get(id);
    return record === undefined ? [] : [{ ...record, content, lastAccessed: at }];
  });
  const room = MAX_RECORDS_PER_CALL - changed.length - deletes.length - inserts.length;
  const merged = repeated.flatMap((id) => {
    const record = current.get(id);
    return record === undefined ? [] : (refreshed(record, request, at) ?? []);
  });
  const result = await records.apply({
    op: key,
    atMs: nowMs,
    since: attempt >= MAX_TRIES ? undefined : { mark: found.mark, scope: searchScope(request) },
    needs: [...new Set([...changedIds, ...held])],
    deletes,
    updates: [...changed, ...merged.slice(0, room)],
    inserts: inserts.map(({ record }) => record),
  });
  const done = result.state === "done";
  const equal = done ? await passedOver(work, request, inserts) : [];
  const touched = done ? [...held, ...equal.map(([, { id }]) => id)] : [];
  if (touched.length > 0) await records.touch([...new Set(touched)], nowMs);
  return {
    state: result.state,
    version: done ? result.version : 0,
    updated: changed,
    deleted: deletes,
    existing: held.flatMap((id) => current.get(id) ?? []),
    equal,
  };
}

/** Returns the new records skipped by the store (MR7), each with the existing one. */
async function passedOver(
  { records }: MemoryWork,
  request: SaveRequest,
  inserts: readonly Insert[],
): Promise<Required<Written>["equal"]> {
  const there = await recordsById(
    records,
    inserts.map(({ record }) => record.id),
  );
  const absent = inserts.filter(({ record }) => !there.has(record.id)).map(({ record }) => record);
  const equal = await equalRecords(records, request, absent);
  return absent.flatMap(({ id, content }) => {
    const record = equal.get(content);
    return record === undefined ? [] : [[id, record] as const];
  });
}

/**
 * Returns the record of a repeated text with the new categories and metadata and the higher importance; undefined
 * without a change.
 */
function refreshed(
  record: MemoryRecord,
  { categories = [], metadata, importance = 0 }: SaveRequest,
  at: string,
): MemoryRecord | undefined {
  const { maxCategories, maxMetadataLength } = MEMORY_LIMITS;
  const all = [...new Set([...record.categories, ...categories])].slice(0, maxCategories);
  const both = { ...record.metadata, ...metadata };
  const anew = {
    ...record,
    categories: all,
    metadata: JSON.stringify(both).length <= maxMetadataLength ? both : record.metadata,
    importance: Math.max(record.importance, importance),
  };
  return JSON.stringify(anew) === JSON.stringify(record)
    ? undefined
    : { ...anew, lastAccessed: at };
}

/** Updates the index. Entries it rejects stay pending (MR4). Returns the reason for a failure. */
async function updateIndex(
  work: MemoryWork,
  entries: ReadonlyArray<{ readonly record: MemoryRecord; readonly vector: Float32Array }>,
  { version, deleted }: Written,
): Promise<string | undefined> {
  try {
    await work.steps.step("index", async ({ signal, nowMs }) => {
      await indexRecords(work, entries, version);
      if (deleted.length > 0) await dropStale(work);
      await work.records.renewWords(MAX_REPAIRS).catch(() => signal.throwIfAborted());
      await repairIndex(work, { limit: MAX_REPAIRS, signal, nowMs }).catch(() =>
        signal.throwIfAborted(),
      );
    });
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
