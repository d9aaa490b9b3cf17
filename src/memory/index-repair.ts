// Index updates. The records store lists the entries the index lacks (MR4); these functions add them.
import { adoptIndex, isMismatch, madeWith } from "./adopt-index.ts";
import { embedNow } from "./embed.ts";
import type { MemoryWork } from "./memory-work.ts";
import type { MemoryRecord } from "./memory-record.ts";

type Index = Pick<MemoryWork, "records" | "vectors" | "embedder" | "ownsIndex">;

/** Maximum number of rows in one write to the index. */
const MAX_ROWS = 500;

/** Writes records to the index and marks them as indexed at `version`. */
export async function indexRecords(
  { records, vectors, embedder }: Index,
  entries: ReadonlyArray<{ readonly record: MemoryRecord; readonly vector: Float32Array }>,
  version: number,
): Promise<void> {
  for (let start = 0; start < entries.length; start += MAX_ROWS) {
    const part = entries.slice(start, start + MAX_ROWS);
    await vectors.upsert(part.map(({ record, vector }) => rowOf(record, vector)));
    await records.indexed(
      part.map(({ record }) => record.id),
      version,
      madeWith(embedder, part[0]?.vector.length ?? 0),
    );
  }
}

/** Removes deleted records from the index. */
export async function dropStale({
  records,
  vectors,
}: Pick<Index, "records" | "vectors">): Promise<void> {
  for (;;) {
    const { stale } = await records.pendingIndexing({ ids: [] }, MAX_ROWS);
    if (stale.length === 0) return;
    await vectors.delete(stale);
    await records.unindexed(stale);
  }
}

export type Repaired = {
  readonly made: number;
  /** Number of records whose text the embedder refuses. */
  readonly refused: number;
};

/** Makes the missing vectors of at most `limit` records, after the first `skip`. */
export async function repairIndex(
  index: Index,
  options: {
    readonly limit: number;
    readonly skip?: number;
    readonly signal: AbortSignal;
    /** Takes over the index of another embedder at this time. */
    readonly nowMs: number;
  },
): Promise<Repaired> {
  const { limit, skip, signal, nowMs } = options;
  const { missing } = await index.records.pendingIndexing({}, limit, skip);
  if (missing.length === 0) return { made: 0, refused: 0 };
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
    const write = (): Promise<void> => indexRecords(index, entries, version);
    await write().catch(async (error: unknown) => {
      const dimension = entries[0]?.vector.length ?? 0;
      if (!isMismatch(error) || !(await adoptIndex(index, { dimension, nowMs }))) throw error;
      await write();
    });
    made += entries.length;
  }
  return { made, refused: missing.length - made };
}

function rowOf(
  { id, scope, source, private: isPrivate }: MemoryRecord,
  vector: Float32Array,
): Parameters<MemoryWork["vectors"]["upsert"]>[0][number] {
  const metadata = { scope, private: isPrivate, ...(source === undefined ? {} : { source }) };
  return { id, vector, metadata };
}
