import { environmentVariables } from "../base/system.ts";
import { InMemoryKnowledgeStore } from "./in-memory-knowledge-store.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { TEXT_READERS } from "./readers/text-reader-list.ts";
import type { Embedder } from "../vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
import { InMemoryVectorStores } from "../vectors/exact-vectors.ts";
import { knowledgeSession } from "./knowledge-session.ts";
import { onDemandKnowledge } from "./make-on-demand.ts";

/** Storage of a knowledge service for documents and vectors. */
export type KnowledgeServiceOptions = Partial<
  Pick<KnowledgeService, "tenant" | "store" | "vectors" | "readers" | "files" | "outbound">
> & {
  /**
   * Embedder of collections without one of their own. @default the environment's: `EMBEDDER`, OpenAI's if a key is set,
   * else the offline one
   */
  readonly embedder?: EmbedderSpec;
  /** Environment for making embedders. @default the process's environment variables */
  readonly environment?: EmbedderEnvironment;
};

/**
 * Makes the knowledge of one tenant, for `services.knowledge` of its runs: it enables `knowledgeSources` and names of
 * collections. By default, store and vectors are in this process, for the lifetime of the service.
 */
export function knowledgeService(options: KnowledgeServiceOptions = {}): KnowledgeService {
  const {
    tenant = "local",
    store = new InMemoryKnowledgeStore(),
    vectors = new InMemoryVectorStores(),
    readers = [],
    environment = { variables: environmentVariables() },
    embedder: spec,
    ...rest
  } = options;
  let usual: Embedder | undefined;
  return {
    ...rest,
    tenant,
    store,
    vectors,
    readers: [...readers, ...TEXT_READERS],
    get embedder() {
      return (usual ??= resolveEmbedder(spec, environment));
    },
    resolve: (named) => resolveEmbedder(named, environment),
    openSession: knowledgeSession,
    onDemand: onDemandKnowledge,
  };
}
