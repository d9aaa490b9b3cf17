import { environmentVariables } from "../base/system.ts";
import { InMemoryKnowledgeStore } from "./in-memory-knowledge-store.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import { csvReader } from "./readers/csv-reader.ts";
import { jsonReader } from "./readers/json-reader.ts";
import { markdownReader, plainTextReader } from "./readers/text-readers.ts";
import type { Embedder } from "../vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
import { InMemoryVectorStores } from "../vectors/exact-vectors.ts";
import { knowledgeSession } from "./knowledge-session.ts";
import { onDemandKnowledge } from "./make-on-demand.ts";

/** Readers of documents that are text. */
export const TEXT_READERS = [plainTextReader, markdownReader, jsonReader, csvReader];

/** Where a knowledge service keeps documents and vectors. */
export type KnowledgeServiceOptions = Partial<
  Pick<KnowledgeService, "tenant" | "store" | "vectors" | "readers" | "files" | "outbound">
> & {
  /** For collections whose owner names none. @default the environment's: `EMBEDDER`, OpenAI's where there is a key, else the offline one */
  readonly embedder?: EmbedderSpec;
  /** What embedders are made from. @default the process's environment variables */
  readonly environment?: EmbedderEnvironment;
};

/**
 * The knowledge of one tenant, for `services.knowledge` of its runs: with it `knowledgeSources` and names of collections work. Store
 * and vectors that are not named are in this process, as long as the service.
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
