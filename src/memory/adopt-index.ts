// Change of the embedder: the index is emptied and made again for the new one, while records stay.
//
//   MIX1. The first use with another embedder takes over the index: all records lack a vector from then on. Recalls find
//        them by their words, and those with a new vector by it, too.
//   MIX2. Two embedders in use at once, as during a gradual deployment, cannot take turns quickly: the next one may take
//        over after ten minutes. Until then it saves without vectors, and recalls by words.
//   MIX3. A vector of another embedder never counts as that of a record: a record is marked as indexed only for the
//        embedder that has the index.
import { EngineError } from "../base/error.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { VectorStore } from "../vectors/vector-store.ts";
import type { MemoryRecords } from "./memory-records.ts";

/** Time for which the index stays with the embedder that has taken it over (MIX2), in milliseconds. */
export const ADOPTION_HOLDS_MS = 600_000;

export type OwnedIndex = {
  readonly records: MemoryRecords;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  /** True if the embedder is the deployment's, which may take over the index. */
  readonly ownsIndex: boolean;
};

/** Name of an embedder's vectors: they can be compared with those of the same name only. */
export function madeWith({ model }: Pick<Embedder, "model">, dimension: number): string {
  return `${model} (${dimension} dimensions)`;
}

export function isMismatch(error: unknown): boolean {
  return EngineError.is(error) && error.code === "embedding_mismatch";
}

/** Empties the index for the embedder's vectors (MIX1). Returns false if another embedder keeps it (MIX2). */
export async function adoptIndex(
  { records, vectors, embedder, ownsIndex }: OwnedIndex,
  { dimension, nowMs }: { readonly dimension: number; readonly nowMs: number },
): Promise<boolean> {
  if (!ownsIndex || records.adoptIndex === undefined) return false;
  const { model } = embedder;
  if (!(await records.adoptIndex(madeWith(embedder, dimension), nowMs))) return false;
  const made = await vectors.info();
  if (made === undefined || (made.model === model && made.dimension === dimension)) return true;
  await vectors.clear({ except: { model, dimension } });
  // Records that an earlier version has indexed since then.
  await records.unindexAll();
  return true;
}
