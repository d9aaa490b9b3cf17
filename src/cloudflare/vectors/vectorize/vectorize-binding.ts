import type { VectorizeFilter, VectorizeMetadata } from "./vectorize-filter.ts";

/** Used part of a Vectorize binding. */
export interface VectorizeBinding {
  upsert(
    vectors: ReadonlyArray<{
      readonly id: string;
      readonly values: Float32Array;
      readonly namespace: string;
      readonly metadata: VectorizeMetadata;
    }>,
  ): Promise<{ readonly mutationId: string }>;
  deleteByIds(ids: readonly string[]): Promise<{ readonly mutationId: string }>;
  query(
    vector: Float32Array,
    options: {
      readonly topK: number;
      readonly namespace: string;
      readonly filter?: VectorizeFilter;
      readonly returnValues: boolean;
      readonly returnMetadata: "none";
    },
  ): Promise<{
    readonly matches: ReadonlyArray<{
      readonly id: string;
      readonly score: number;
      readonly values?: ArrayLike<number> | undefined;
    }>;
  }>;
  describe(): Promise<{
    readonly dimensions: number;
    readonly processedUpToDatetime?: string | number | null;
    readonly processedUpToMutation?: string | number | null;
  }>;
}
