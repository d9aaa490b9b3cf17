import type { JsonValue } from "../base/json.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { VectorStore } from "../vectors/vector-store.ts";
import type { MemoryQuestion } from "./memory-model.ts";
import type { FittedSettings } from "./memory-options.ts";
import type { MemoryRecords } from "./memory-records.ts";
import type { MemorySteps } from "./memory-steps.ts";

/** Everything a save or a recall needs. */
export type MemoryWork = {
  readonly settings: FittedSettings;
  readonly records: MemoryRecords;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  /** True if the embedder is the deployment's, which may take over the index. */
  readonly ownsIndex: boolean;
  readonly steps: MemorySteps;
  readonly ask: (steps: MemorySteps, question: MemoryQuestion) => Promise<JsonValue>;
};

/** Returns the same work at another place of the run. */
export function workAt(work: MemoryWork, steps: MemorySteps): MemoryWork {
  return { ...work, steps };
}

export const MEMORY_LIMITS = {
  /** Number of contents in one save. */
  maxContents: 1000,
  /** Length of one content, in characters. */
  maxContentLength: 100_000,
  /** Length of all contents of one save, in characters. */
  maxTotalLength: 4_000_000,
  /** Embedded part of a text, in characters. Full text finds the rest. */
  maxEmbeddedLength: 24_000,
  /** Length of a question, in characters. */
  maxQueryLength: 20_000,
  maxRecallLimit: 50,
  maxCategories: 20,
  maxCategoryLength: 100,
  /** Length of a source, in characters; the limit of the vector stores. */
  maxSourceLength: 256,
  /** Length of the context of a text, in characters. */
  maxContextLength: 2_000,
  /** Length of metadata as JSON, in characters. */
  maxMetadataLength: 20_000,
} as const;
