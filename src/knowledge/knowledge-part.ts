// Knowledge in a Worker: the options of `defineApp({ knowledge })`.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import type { Part, PartEnv, PartPlace } from "../parts/part.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import type { DocumentReader } from "./document-text.ts";
import { sweepCollections, unusedSince } from "./demanded-collection.ts";
import type { KnowledgeService } from "./knowledge-service.ts";
import type { KnowledgeStore } from "./knowledge-store.ts";
import { knowledgeService } from "./make-knowledge-service.ts";
import { knowledgeOperations } from "./operations/collections.ts";
import { knowledgeRun, knowledgeRunSchemas } from "./operations/knowledge-run.ts";

/** Options of `knowledge()` in `defineApp`. */
export type KnowledgePartOptions = {
  /**
   * Readers beside those for text, Markdown, JSON and CSV: `DOCUMENT_READERS` of `edgecrew/knowledge/readers`. @default
   * none
   */
  readonly readers?: readonly DocumentReader[];
  /**
   * Embedder of collections without one of their own. @default the environment's: `EMBEDDER`, OpenAI's if a key is set,
   * else the offline one
   */
  readonly embedder?: EmbedderSpec;
  /**
   * Storage of vectors. @default the Vectorize index bound as `VECTORIZE`, else the Durable Objects bound as `VECTORS`
   */
  readonly vectors?: (env: PartEnv) => VectorStores;
  /** Fetch function for documents' pages. @default the global one */
  readonly fetch?: typeof fetch;
};

/** Storage of knowledge. */
type KnowledgeStores = {
  readonly documents: (place: PartPlace) => KnowledgeStore;
  /** Default, unless the options name others. */
  readonly vectors: (env: PartEnv) => VectorStores;
  /** Returns tenants with collections last used before the time. */
  readonly unused: (env: PartEnv, beforeMs: number) => Promise<readonly string[]>;
};

const OPTIONS = definitionOptions<KnowledgePartOptions>("knowledge()", {
  readers: true,
  embedder: true,
  vectors: true,
  fetch: true,
});

export function knowledgePart(options: KnowledgePartOptions, stores: KnowledgeStores): Part {
  refuseUnknownOptions(options, OPTIONS);
  const { vectors = stores.vectors, readers = [], embedder, fetch: load } = options;
  const service = (place: PartPlace): KnowledgeService => {
    const { tenant, env, environment, outbound, services } = place;
    const { files } = services;
    return knowledgeService({
      tenant,
      store: stores.documents(place),
      vectors: vectors(env),
      readers,
      environment,
      outbound: { ...outbound, ...(load === undefined ? undefined : { fetch: load }) },
      ...(embedder === undefined ? undefined : { embedder }),
      ...(files === undefined ? undefined : { files }),
    });
  };
  return {
    name: "knowledge",
    docs: "knowledge.md",
    migrations: [
      "0009_knowledge.sql",
      "0010_vectorize.sql",
      "0020_knowledge_uses.sql",
      "0033_knowledge_context.sql",
      "0034_knowledge_losses.sql",
    ],
    // Readers of collections also read files for models that cannot take them.
    services: { knowledge: service, fileReaders: () => readers },
    kinds: { knowledge: { schemas: knowledgeRunSchemas, program: knowledgeRun } },
    bind: (host) => ({
      operations: knowledgeOperations(host, (tenant) => service(host.placeOf(tenant))),
      due: async () => {
        const { env, clock } = host;
        await vectors(env).sweep?.();
        const nowMs = clock.now();
        for (const tenant of await stores.unused(env, unusedSince(nowMs)))
          await sweepCollections(service(host.placeOf(tenant)), nowMs).catch(host.report);
      },
    }),
  };
}
