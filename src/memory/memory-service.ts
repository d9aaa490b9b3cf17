import type { InstalledMemory } from "../events/run-services.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { MemoryOptions } from "./memory-options.ts";
import type { MemoryRecords } from "./memory-records.ts";
import type { MemoryView } from "./memory-view.ts";

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
    /** Makes the memory of a crew, an agent or a flow that says no more than that it has one. */
    readonly create?: (order: MemoryOrder) => MemoryView;
  };

/** Whose memory is wanted, and how. */
export type MemoryOrder = {
  /** Its root, such as `["crew", "Daily briefing"]`; names are made into parts of a path. */
  readonly path: readonly string[];
  /** Asked where the settings name no model. @default the model of whoever works with it */
  readonly llm?: ModelSpec | undefined;
  /** @default the service's */
  readonly embedder?: EmbedderSpec | undefined;
  readonly settings?: MemorySettingsGiven | undefined;
};

/** Options of a memory that the deployment keeps: what definitions say. */
export type MemorySettingsGiven = Omit<MemoryOptions, "storage" | "clock" | "reranker">;

/** The memory that the deployment of a run keeps for the run's tenant. */
export function memoryServiceOf(scope: RunScope | undefined): MemoryService | undefined {
  return scope?.services.memory as MemoryService | undefined;
}
