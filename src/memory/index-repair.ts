// The index follows the records: what it does not have yet is recorded (MR4), and indexed here.
import { embedNow } from "./embed.ts";
import type { MemoryWork } from "./memory-work.ts";
import type { MemoryRecord } from "./memory-record.ts";

type Index = Pick<MemoryWork, "records" | "vectors" | "embedder">;

/** Rows of one write to the index. */
const MAX_ROWS = 500;

/** Tells the index of records as they are at `version`. */
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

/** Takes deleted records out of the index. */
export async function dropStale({ records, vectors }: Index): Promise<void> {
  for (;;) {
    const { stale } = await records.pendingIndexing({ ids: [] }, MAX_ROWS);
    if (stale.length === 0) return;
    await vectors.delete(stale);
    await records.unindexed(stale);
  }
}

/** Makes the vectors that at most `limit` records lack. Answers how many it made. */
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
