import { environmentVariables } from "../base/system.ts";
import { InMemoryKnowledgeStore } from "../knowledge/in-memory-knowledge-store.ts";
import type { KnowledgeService } from "../knowledge/knowledge-service.ts";
import {
  csvReader,
  jsonReader,
  markdownReader,
  plainTextReader,
} from "../knowledge/readers/text-readers.ts";
import type { Embedder } from "../vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
import { InMemoryVectorStores } from "../vectors/exact-vectors.ts";
import { knowledgeKit } from "./knowledge-at-work.ts";

/** Readers of documents that are text. */
export const TEXT_READERS = [plainTextReader, markdownReader, jsonReader, csvReader];

export type KnowledgeServiceOptions = Partial<
  Pick<KnowledgeService, "tenant" | "store" | "vectors" | "readers" | "files" | "outbound">
> & {
  /** For collections whose owner names none. @default the environment's: `EMBEDDER`, OpenAI's where there is a key, else the offline one */
  readonly embedder?: EmbedderSpec;
  /** What embedders are made from. @default the process's environment variables */
  readonly environment?: EmbedderEnvironment;
};

/**
 * What runs are given under `services.knowledge`, so that `knowledgeSources` and names of collections mean something. One for each
 * tenant. What is not said of store and vectors is in this process, as long as the service.
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
    resolve: (given) => resolveEmbedder(given as EmbedderSpec, environment),
    kit: knowledgeKit,
  };
}
