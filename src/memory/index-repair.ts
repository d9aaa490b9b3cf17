// Index updates. The records store lists the entries the index lacks (MR4); these functions add them.
import { embedNow } from "./embed.ts";
import type { MemoryWork } from "./memory-work.ts";
import type { MemoryRecord } from "./memory-record.ts";

type Index = Pick<MemoryWork, "records" | "vectors" | "embedder">;

/** Maximum number of rows in one write to the index. */
const MAX_ROWS = 500;

/** Writes records to the index and marks them as indexed at `version`. */
export async function indexRecords(
  { records, vectors }: Index,
  entries: ReadonlyArray<{ readonly record: MemoryRecord; readonly vector: Float32Array }>,
  version: number,
): Promise<void> {
  for (let start = 0; start < entries.length; start += MAX_ROWS) {
    const part = entries.slice(start, start + MAX_ROWS);
    await vectors.upsert(part.map(({ record, vector }) => rowOf(record, vector)));
    await records.indexed(
      part.map(({ record }) => record.id),
      version,
    );
  }
}

/** Removes deleted records from the index. */
export async function dropStale({ records, vectors }: Index): Promise<void> {
  for (;;) {
    const { stale } = await records.pendingIndexing({ ids: [] }, MAX_ROWS);
    if (stale.length === 0) return;
    await vectors.delete(stale);
    await records.unindexed(stale);
  }
}

/** Makes the missing vectors of at most `limit` records. Returns the number of vectors made. */
export async function repairIndex(
  index: Index,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<number> {
  const { missing } = await index.records.pendingIndexing({}, limit);
  if (missing.length === 0) return 0;
  const texts = missing.map(({ record }) => record.content);
  const { vectors } = await embedNow(index.embedder, texts, { signal });
  const byVersion = new Map<number, { record: MemoryRecord; vector: Float32Array }[]>();
  for (const [place, { record, version }] of missing.entries()) {
    const vector = vectors[place];
    if (vector === undefined) continue;
    byVersion.set(version, [...(byVersion.get(version) ?? []), { record, vector }]);
  }
  let made = 0;
  for (const [version, entries] of byVersion) {
    await indexRecords(index, entries, version);
    made += entries.length;
  }
  return made;
}

function rowOf(
  { id, scope, source, private: isPrivate }: MemoryRecord,
  vector: Float32Array,
): Parameters<MemoryWork["vectors"]["upsert"]>[0][number] {
  const metadata = { scope, private: isPrivate, ...(source === undefined ? {} : { source }) };
  return { id, vector, metadata };
}
