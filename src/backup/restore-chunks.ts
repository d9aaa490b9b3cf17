import { EngineError } from "../base/error.ts";
import { vectorCollection } from "../knowledge/index-document.ts";
import type { KnowledgeService } from "../knowledge/knowledge-service.ts";
import { searchable, type KnowledgeChunk } from "../knowledge/knowledge-store.ts";
import type { BackupRow } from "./backup-rows.ts";

/**
 * Restores chunks of documents, with new vectors by this deployment's embedder. Writes the vectors first, so every
 * stored chunk is in the index. Idempotent.
 */
export async function restoreChunks(
  service: KnowledgeService,
  rows: readonly BackupRow[],
  signal: AbortSignal,
): Promise<void> {
  for (const [collection, ofCollection] of Map.groupBy(rows, (row) => String(row["collection"]))) {
    const chunks = ofCollection.map(chunkOf);
    await restoreInto(service, { collection, chunks, signal });
  }
}

async function restoreInto(
  { tenant, store, vectors, embedder }: KnowledgeService,
  options: {
    readonly collection: string;
    readonly chunks: readonly KnowledgeChunk[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { collection, chunks, signal } = options;
  const index = vectors.open({
    tenant,
    collection: vectorCollection(collection),
    model: embedder.model,
  });
  for (let at = 0; at < chunks.length; at += embedder.maxBatch) {
    const part = chunks.slice(at, at + embedder.maxBatch);
    const made = await embedder.embed(part.map(searchable), { signal, purpose: "document" });
    await index.upsert(
      part.map(({ id, document }, place) => {
        const vector = made[place];
        if (vector === undefined)
          throw new EngineError(
            "internal",
            `${embedder.id} gave ${made.length} vectors for ${part.length} texts`,
          );
        return { id, vector, metadata: { document } };
      }),
    );
  }
  await store.putChunks(collection, chunks);
}

function chunkOf(row: BackupRow): KnowledgeChunk {
  return {
    id: String(row["id"]),
    document: String(row["document"]),
    ordinal: Number(row["ordinal"]),
    text: String(row["content"]),
    start: Number(row["start_at"]),
    end: Number(row["end_at"]),
    ...(JSON.parse(String(row["place"])) as object),
  };
}
