// Knowledge as rows of D1.
import type { DocumentLoss } from "../../knowledge/document-losses.ts";
import type { CollectionUse } from "../../knowledge/collection-use.ts";
import type { KnowledgeChunk, KnowledgeDocument } from "../../knowledge/knowledge-store.ts";

export type UseRow = {
  readonly id: string;
  readonly collection: string;
  readonly model: string;
  readonly version: string | null;
  readonly is_temporary: number;
  readonly checked_at: number;
  readonly used_at: number;
};

export function useOf(row: UseRow): CollectionUse {
  const { id, collection, model, version } = row;
  return {
    id,
    collection,
    model,
    ...(version === null ? undefined : { version }),
    checkedAtMs: row.checked_at,
    usedAtMs: row.used_at,
    isTemporary: row.is_temporary === 1,
  };
}

export type DocumentRow = {
  readonly id: string;
  readonly name: string;
  readonly reader: string;
  readonly state: KnowledgeDocument["state"];
  readonly hash: string;
  readonly recipe: string;
  readonly characters: number;
  readonly chunks: number;
  readonly indexed: number;
  readonly error: string | null;
  /** JSON. */
  readonly losses: string | null;
  readonly run_id: string;
  readonly created_at: number;
  readonly updated_at: number;
};

export function documentOf(row: DocumentRow): KnowledgeDocument {
  const { id, name, reader, state, hash, recipe, characters, chunks, indexed, error } = row;
  return {
    id,
    name,
    reader,
    state,
    hash,
    recipe,
    characters,
    chunks,
    indexed,
    ...(error === null ? undefined : { error }),
    ...(row.losses === null
      ? undefined
      : { losses: JSON.parse(row.losses) as readonly DocumentLoss[] }),
    runId: row.run_id,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

export type ChunkRow = {
  readonly id: string;
  readonly document: string;
  readonly ordinal: number;
  readonly content: string;
  readonly start_at: number;
  readonly end_at: number;
  readonly place: string;
};

export function chunkOf(row: ChunkRow): KnowledgeChunk {
  const { id, document, ordinal, content: text, start_at: start, end_at: end, place } = row;
  return { id, document, ordinal, text, start, end, ...(JSON.parse(place) as object) };
}
