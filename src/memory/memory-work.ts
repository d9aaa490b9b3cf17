import type { JsonValue } from "../base/json.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { VectorStore } from "../vectors/vector-store.ts";
import type { MemoryQuestion } from "./memory-model.ts";
import type { FittedSettings } from "./memory-options.ts";
import type { MemoryRecords } from "./memory-records.ts";
import type { MemorySteps } from "./memory-steps.ts";

/** All that a save or a recall works with. */
export type MemoryWork = {
  readonly settings: FittedSettings;
  readonly records: MemoryRecords;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  readonly steps: MemorySteps;
  readonly ask: (steps: MemorySteps, question: MemoryQuestion) => Promise<JsonValue>;
};

/** The same work at another place of the run. */
export function workAt(work: MemoryWork, steps: MemorySteps): MemoryWork {
  return { ...work, steps };
}

export const MEMORY_LIMITS = {
  /** Of one save. */
  maxContents: 1000,
  /** Of one content, in characters. */
  maxContentLength: 100_000,
  /** Of all contents of one save, in characters. */
  maxTotalLength: 4_000_000,
  /** Of what is embedded of a text, in characters; the rest is found by full text. */
  maxEmbeddedLength: 24_000,
  /** Of a question, in characters. */
  maxQueryLength: 20_000,
  maxRecallLimit: 50,
  maxCategories: 20,
  maxCategoryLength: 100,
  /** Of a source, in characters; what the vector stores take. */
  maxSourceLength: 256,
  /** Of metadata as JSON, in characters. */
  maxMetadataLength: 20_000,
} as const;
