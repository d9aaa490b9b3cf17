// Knowledge in a Worker: what `defineApp({ knowledge })` takes.
import { knowledgeService } from "../knowledge/make-knowledge-service.ts";
import type { Part, PartEnv, PartPlace } from "../parts/part.ts";
import { boundVectors } from "../cloudflare/bound-vectors.ts";
import { D1KnowledgeStore } from "../cloudflare/d1-knowledge-store.ts";
import type { DocumentReader } from "../knowledge/document-text.ts";
import type { KnowledgeService } from "../knowledge/knowledge-service.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import { knowledgeOperations, knowledgeShapes } from "./operations.ts";
import { knowledgeRun, knowledgeRunSchemas } from "./knowledge-run.ts";

export type KnowledgePartOptions = {
  /** Beside those for text, Markdown, JSON and CSV: `DOCUMENT_READERS` of `edgecrew/knowledge/readers`. @default none */
  readonly readers?: readonly DocumentReader[];
  /** For collections whose owner names none. @default the environment's: `EMBEDDER`, OpenAI's where there is a key, else the offline one */
  readonly embedder?: EmbedderSpec;
  /** Where vectors are kept. @default the Vectorize index bound as `VECTORIZE`, else the Durable Objects bound as `VECTORS` */
  readonly vectors?: (env: PartEnv) => VectorStores;
  /** How pages that documents name are loaded. @default the global one */
  readonly fetch?: typeof fetch;
};

/** Keeps documents and their chunks in D1 and a vector index, for crews and agents that have knowledge, and for `/knowledge`. */
export function knowledge(options: KnowledgePartOptions = {}): Part {
  const { vectors = boundVectors, readers = [], embedder, fetch: load } = options;
  const service = (place: PartPlace): KnowledgeService => {
    const { tenant, env, environment, outbound, services } = place;
    const { files } = services;
    return knowledgeService({
      tenant,
      store: new D1KnowledgeStore(env.DB, tenant),
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
    migrations: ["0009_knowledge.sql", "0010_vectorize.sql"],
    services: { knowledge: service },
    kinds: { knowledge: { schemas: knowledgeRunSchemas, program: knowledgeRun } },
    bind: (host) => ({
      operations: knowledgeOperations(host, (tenant) => service(host.placeOf(tenant))),
      shapes: knowledgeShapes,
      due: async () => vectors(host.env).sweep?.(),
    }),
  };
}
