/** Embeddings: texts as vectors, and where vectors are stored and searched. */

/** An embedder by name, of one's own, or with a cache. */
export { embedder, type EmbedFunction } from "../vectors/embedders/custom-embedder.ts";
export type { EmbedderConfig, EmbedderSettings } from "../vectors/embedders/embedder-settings.ts";
export {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
export { cachedEmbedder, type EmbeddingCache } from "../vectors/cached-embedder.ts";
/** The port of every embedder, and calls within its limits. */
export type { Embedder, EmbedOptions } from "../vectors/embedder.ts";
export { embedAll, embedEach, type Embedded } from "../vectors/embed-each.ts";
/** The port of vector stores; implement it for a store of your own. */
export {
  VECTOR_LIMITS,
  type VectorCollection,
  type VectorFilter,
  type VectorMatch,
  type VectorMetadata,
  type VectorQuery,
  type VectorRow,
  type VectorStore,
  type VectorStoreInfo,
  type VectorStores,
} from "../vectors/vector-store.ts";
/** Vectors in this process. */
export { InMemoryVectorStores } from "../vectors/exact-vectors.ts";
