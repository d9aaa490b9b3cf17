// Memory service of a deployment for its runs, `services.memory`. Types alone: code that requests a memory does not
// load its implementation.
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Embedder } from "../vectors/embedder.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { MemoryOptions } from "./memory-options.ts";
import type { MemoryStorage } from "./memory-records.ts";
import type { MemoryView } from "./memory-view.ts";

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Storage and factory of memories for the run's tenant. */
    readonly memory?: MemoryService;
  }
}

/** Memory service of one tenant. */
export type MemoryService = MemoryStorage & {
  /** Creates the embedder a memory names; for undefined, the deployment's. @default made from the run's variables */
  readonly embedder?: (spec: EmbedderSpec | undefined) => Embedder;
  /**
   * Creates the memory of a crew, an agent or a flow. @default only memories that definitions bring along can be used
   */
  readonly create?: (request: MemoryRequest) => MemoryView;
};

/** Owner and configuration of a requested memory. */
export type MemoryRequest = {
  /** Root of the memory, such as `["crew", "Daily briefing"]`; each name becomes a segment of the path. */
  readonly path: readonly string[];
  /** Model used if the config names no model. @default the model of the caller */
  readonly llm?: ModelSpec | undefined;
  /** @default the service's */
  readonly embedder?: EmbedderSpec | undefined;
  readonly config?: MemoryConfig | undefined;
  /** Owner of the memory in place of the path. @default none */
  readonly person?: string | undefined;
};

/** Configuration in a definition for a memory created and stored by the deployment. */
export type MemoryConfig = Omit<MemoryOptions, "storage" | "clock" | "reranker"> & {
  /**
   * `person`: the memory of the run's person (`person` of its start), shared by all crews, agents, flows and
   * conversations with this setting. @default a memory of the crew, agent or flow
   */
  readonly scope?: MemoryOwnerKind | undefined;
};

/** Kind of a memory's owner other than the definition itself. */
export type MemoryOwnerKind = "person";

/**
 * The `memory` option of crews, agents and flows: a switch, a memory object, or the configuration of a memory stored by
 * the deployment.
 */
export type MemoryOption = boolean | MemoryView | MemoryConfig;
