// Vectors by id, and the search for the nearest ones.
//
//   V1. A query sees every completed `upsert` and `delete`, in every store.
//   V2. A score is the cosine, clamped to [0, 1]: vectors pointing away from the query score 0, like unrelated ones.
//       Matches are ordered by the unclamped cosine, nearest first; equally near ones by id.
//   V3. A filter is part of the search and is not applied to its result: a query returns `limit` rows if that many
//       match.
//   V4. A scope matches itself and all paths below it: `/a` matches `/a` and `/a/b`, never `/ab`.
//   V5. A collection records the model and the dimension of its first row. Writes and queries with other vectors fail
//       with `embedding_mismatch`; `clear` resets the collection.
//   V6. Every store has the same limits, those of the narrowest store, so code working locally also works in
//       production.

/** Collection of vectors from one model. */
export interface VectorStore {
  /** Writes rows. A row with a known id replaces the old one, including its metadata. */
  upsert(rows: readonly VectorRow[]): Promise<void>;
  /** Deletes rows. Unknown ids are ignored. */
  delete(ids: readonly string[]): Promise<void>;
  query(vector: Float32Array, query: VectorQuery): Promise<readonly VectorMatch[]>;
  /**
   * Returns model and dimension of the collection; undefined before its first row. Makes no comparison, so it also
   * works before re-embedding.
   */
  info(): Promise<VectorStoreInfo | undefined>;
  /**
   * Removes every row, the model and the dimension; leaves a collection of the excepted model and dimension unchanged.
   */
  clear(options?: { readonly except?: VectorStoreInfo }): Promise<void>;
}

/** Collections by name. Opening one is free and checks only its name. */
export interface VectorStores {
  open(collection: VectorCollection): VectorStore;
  /** Completes pending work, such as deletes not yet sent to a remote index. Called every minute. */
  sweep?(): Promise<void>;
}

/** Set of vectors of one length. */
export type VectorCollection = {
  readonly tenant: string;
  readonly collection: string;
  /** Model of the written and queried vectors: `Embedder.model`. */
  readonly model: string;
};

/** Vector as stored. */
export type VectorRow = {
  readonly id: string;
  /** Vector of any length but zero; stored as a unit vector. */
  readonly vector: Float32Array;
  readonly metadata?: VectorMetadata;
};

/** Filter fields of a row. Further data of a row belongs in the store of its text. */
export type VectorMetadata = {
  /** Path such as `/crew/briefing`. */
  readonly scope?: string;
  readonly source?: string;
  /** @default false */
  readonly private?: boolean;
  readonly collection?: string;
  readonly document?: string;
};

/** Conditions a row must all meet. */
export type VectorFilter = {
  /** This scope and all below it. `/` matches every row, including rows without a scope. */
  readonly scope?: string;
  readonly source?: string;
  readonly private?: boolean;
  readonly collection?: string;
  readonly document?: string;
  /**
   * Source of the viewer: matches rows that are not private and the private ones of this source. Null is a viewer
   * without a source, and matches no private row.
   */
  readonly visibleTo?: string | null;
};

/** Options of a search. */
export type VectorQuery = {
  /** Maximum number of rows: 1 to 100. */
  readonly limit: number;
  /** Minimum score. @default 0, which is every row */
  readonly minScore?: number;
  readonly filter?: VectorFilter;
};

/** Matching vector with its score. */
export type VectorMatch = {
  readonly id: string;
  /** Score in [0, 1]. */
  readonly score: number;
};

/** Model and length of a store's vectors. */
export type VectorStoreInfo = { readonly model: string; readonly dimension: number };

/** Limits of a vector store. Larger values fail with `invalid_input`. */
export const VECTOR_LIMITS = {
  /** Rows of one `upsert`, ids of one `delete`. */
  maxRows: 1000,
  maxDimension: 1536,
  /** Length of an id, in UTF-8 bytes: a SHA-256 in hex fits. */
  maxIdBytes: 64,
  /** Length of a scope, in characters. */
  maxScopeLength: 512,
  maxScopeDepth: 16,
  /** Length of source, collection and document, in characters. */
  maxFieldLength: 256,
  /** Matches of one query. */
  maxLimit: 100,
} as const;
