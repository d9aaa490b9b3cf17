import type { InstalledMemory } from "../events/run-services.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { MemoryRecords } from "./memory-records.ts";

/** Where one tenant's memory is kept. */
export type MemoryStorage = {
  readonly tenant: string;
  readonly records: MemoryRecords;
  readonly vectors: VectorStores;
};

/** What a deployment offers its runs under `services.memory`: one for each tenant. */
export type MemoryService = InstalledMemory &
  MemoryStorage & {
    /** Makes the embedder that a memory names, or the deployment's for undefined. @default made from the run's variables */
    readonly embedder?: (spec: EmbedderSpec | undefined) => Embedder;
  };

/** The memory that the deployment of a run keeps for the run's tenant. */
export function memoryServiceOf(scope: RunScope | undefined): MemoryService | undefined {
  return scope?.services.memory as MemoryService | undefined;
}
