// What a deployment offers its runs under `services.memory`. Types alone: whoever asks for a memory carries no code of it.
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { MemoryOptions } from "./memory-options.ts";
import type { MemoryStorage } from "./memory-records.ts";
import type { MemoryView } from "./memory-view.ts";

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Where memories are kept for the run's tenant. */
    readonly memory?: MemoryService;
  }
}

/** The memory of one tenant. */
export type MemoryService = MemoryStorage & {
  /** Makes the embedder that a memory names, or the deployment's for undefined. @default made from the run's variables */
  readonly embedder?: (spec: EmbedderSpec | undefined) => Embedder;
  /** Makes the memory of a crew, an agent or a flow. @default only memories that definitions bring along can be used */
  readonly create?: (request: MemoryRequest) => MemoryView;
};

/** Whose memory is wanted, and how. */
export type MemoryRequest = {
  /** Its root, such as `["crew", "Daily briefing"]`; names are made into parts of a path. */
  readonly path: readonly string[];
  /** Asked where the config names no model. @default the model of whoever works with it */
  readonly llm?: ModelSpec | undefined;
  /** @default the service's */
  readonly embedder?: EmbedderSpec | undefined;
  readonly config?: MemoryConfig | undefined;
};

/** What a definition says of a memory that the deployment makes and keeps. */
export type MemoryConfig = Omit<MemoryOptions, "storage" | "clock" | "reranker">;

/** What crews, agents and flows take as `memory`: whether they have one, a memory of their own, or config of one that the deployment keeps. */
export type MemoryOption = boolean | MemoryView | MemoryConfig;
