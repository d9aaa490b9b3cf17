// Changes to existing records: update, forget and reindex.
import { EngineError } from "../base/error.ts";
import { embedTexts } from "./embed.ts";
import { dropStale, indexRecords, repairIndex, type Repaired } from "./index-repair.ts";
import { isInScope } from "./memory-path.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { RecordFilter } from "./memory-records.ts";
import type { MemoryWork } from "./memory-work.ts";

/** Maximum number of full texts rewritten after a deletion: those of the neighbours. */
const MAX_RENEWED = 100;
/** Maximum number of vectors made in one step. */
const REPAIR_PAGE = 100;

/** Record fields its owner may change. `scope` is a whole path. */
export type ChangedFields = Partial<
  Pick<
    MemoryRecord,
    "content" | "scope" | "categories" | "metadata" | "importance" | "source" | "private"
  >
>;

/** Returns the record if it is within the memory's root. */
export async function findRecord(
  { records, settings }: MemoryWork,
  id: string,
): Promise<MemoryRecord | undefined> {
  const [record] = await records.get([id]);
  return record !== undefined && isInScope(record.scope, settings.rootScope ?? "/")
    ? record
    : undefined;
}

/** Changes a record. Fails with `not_found` if it is not within the root. */
export async function updateRecord(
  work: MemoryWork,
  id: string,
  changes: ChangedFields,
): Promise<MemoryRecord> {
  const { steps, records, embedder } = work;
  const found = await steps.step("record", async () => (await findRecord(work, id)) ?? null);
  if (found === null) throw notFound(id);
  const { scope, source, private: isPrivate } = changes;
  const isMoved = [scope, source, isPrivate].some((each) => each !== undefined);
  const content = changes.content ?? (isMoved ? found.content : undefined);
  const texts = content === undefined ? [] : [content];
  const { vectors } = await embedTexts(steps, embedder, { texts, segment: "content" });
  const written = await steps.step("write", async ({ key, nowMs }) => {
    const record = await findRecord(work, id);
    if (record === undefined) return null;
    const changed = { ...record, ...changes, lastAccessed: new Date(nowMs).toISOString() };
    const result = await records.apply({ op: key, atMs: nowMs, updates: [changed] });
    return { record: changed, version: result.state === "done" ? result.version : 0 };
  });
  if (written === null) throw notFound(id);
  const { record, version } = written;
  const [vector] = vectors;
  if (vector !== undefined)
    await steps.step("index", () =>
      indexRecords(work, [{ record, vector }], version).catch(
        () => undefined, // stays pending (MR4): a later save indexes it
      ),
    );
  return record;
}

/** Deletes the records passing the filter. Returns their number. */
export async function forgetRecords(work: MemoryWork, filter: RecordFilter): Promise<number> {
  const { steps, records } = work;
  const count = await steps.step("delete", ({ key, nowMs }) =>
    records.deleteWhere(filter, { op: key, atMs: nowMs }),
  );
  if (count > 0)
    await steps.step("index", async () => {
      await dropStale(work).catch(() => undefined); // stays pending (MR4)
      await records.renewWords(MAX_RENEWED).catch(() => undefined); // stays outdated: a later save rewrites it
    });
  return count;
}

/** Deletes all records of the tenant and the name of the model used for the vectors. */
export function forgetEverything(work: MemoryWork): Promise<void> {
  const { steps, records, vectors } = work;
  return steps.step("delete", async ({ key, nowMs }) => {
    await records.deleteWhere({}, { op: key, atMs: nowMs });
    await vectors.clear();
    await records.releaseIndex?.();
    await dropStale(work);
  });
}

/** Result of one page of a reindex; a number in journals of older versions. */
type PageRecord = number | (Repaired & { readonly left: number });

/**
 * Makes missing vectors, at most `limit`; with `all`, makes the vectors of every record. Reports each page as an event.
 * Returns the number of vectors made.
 */
export async function rebuildIndex(
  work: MemoryWork,
  { all, limit }: { readonly all: boolean; readonly limit: number },
): Promise<number> {
  const { steps, records, vectors } = work;
  if (all)
    await steps.step("clear", async () => {
      await records.releaseIndex?.();
      await records.unindexAll();
      await vectors.clear();
    });
  let made = 0;
  let refused = 0;
  for (let page = 1; made < limit; page++) {
    const skip = refused;
    const done = await steps.step<PageRecord>(
      `page:${page}`,
      async ({ signal, nowMs }) => {
        const options = { limit: Math.min(REPAIR_PAGE, limit - made), skip, signal, nowMs };
        const repaired = await repairIndex(work, options);
        return { ...repaired, left: (await records.indexState?.())?.missing ?? 0 };
      },
      { waitsOutage: true },
    );
    const repaired = typeof done === "number" ? { made: done, refused: 0, left: 0 } : done;
    made += repaired.made;
    refused += repaired.refused;
    if (repaired.made + repaired.refused === 0) break;
    if (typeof done !== "number")
      steps.emit("memory_reindex_progress", { made, left: repaired.left });
  }
  if (made < limit)
    await steps.step("settled", async () => {
      await records.settleIndex?.();
      return null;
    });
  return made;
}

function notFound(id: string): EngineError {
  return new EngineError("not_found", `there is no memory "${id}"`);
}
