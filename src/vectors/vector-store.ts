// Vectors by id, and the nearest of them to a vector.
//
//   V1. What `upsert` and `delete` promised is what the next query sees, wherever the rows are kept.
//   V2. A score is the cosine, cut off to [0, 1]: what points away from the query scores 0, as what is unrelated does.
//       Matches come nearest first by the whole cosine; those that are equally near, by id.
//   V3. A filter is part of the search, never a sieve over its result: `limit` rows come back when so many match.
//   V4. A scope matches itself and what is below it: `/a` matches `/a` and `/a/b`, never `/ab`.
//   V5. A collection keeps the model and the dimension of its first row. Other vectors are refused with
//       `embedding_mismatch`, on writing and on reading; `clear` is the way out.
//   V6. Every store keeps the same limits, those of the narrowest, so that what runs here runs in production.

/** One collection of vectors that one model made. */
export interface VectorStore {
  /** Writes rows; an id that is known is replaced, metadata and all. */
  upsert(rows: readonly VectorRow[]): Promise<void>;
  /** Ids that are not known are passed over. */
  delete(ids: readonly string[]): Promise<void>;
  query(vector: Float32Array, query: VectorQuery): Promise<readonly VectorMatch[]>;
  /** What the collection was made with; undefined before its first row. Compares nothing, so it can be asked before re-embedding. */
  info(): Promise<VectorStoreInfo | undefined>;
  /** Removes every row, and forgets the model and the dimension. */
  clear(): Promise<void>;
}

/** Where collections are kept. Opening one costs nothing and checks only its name. */
export interface VectorStores {
  open(collection: VectorCollection): VectorStore;
  /** Does what could not be done at once, such as deletes that a remote index still owes. Called every minute. */
  sweep?(): Promise<void>;
}

/** A set of vectors of one length. */
export type VectorCollection = {
  readonly tenant: string;
  readonly collection: string;
  /** The model whose vectors are written and asked for: `Embedder.model`. */
  readonly model: string;
};

/** A vector as it is stored. */
export type VectorRow = {
  readonly id: string;
  /** Of any length but zero; kept as a unit vector. */
  readonly vector: Float32Array;
  readonly metadata?: VectorMetadata;
};

/** What rows can be filtered by. What else there is to know of a row belongs where its text is kept. */
export type VectorMetadata = {
  /** A path such as `/crew/briefing`. */
  readonly scope?: string;
  readonly source?: string;
  /** @default false */
  readonly private?: boolean;
  readonly collection?: string;
  readonly document?: string;
};

/** All that is given must hold. */
export type VectorFilter = {
  /** This scope and those below it; `/` is everything, rows without a scope too. */
  readonly scope?: string;
  readonly source?: string;
  readonly private?: boolean;
  readonly collection?: string;
  readonly document?: string;
  /** Who asks: rows that are not private, and the private ones of this source. With null, the private ones without a source. */
  readonly visibleTo?: string | null;
};

/** What vectors are searched for. */
export type VectorQuery = {
  /** How many rows at most: 1 to 100. */
  readonly limit: number;
  /** Only rows that score at least this. @default 0, which is every row */
  readonly minScore?: number;
  readonly filter?: VectorFilter;
};

/** A vector that was found, with its score. */
export type VectorMatch = {
  readonly id: string;
  /** In [0, 1]. */
  readonly score: number;
};

/** The model whose vectors a store keeps, and their length. */
export type VectorStoreInfo = { readonly model: string; readonly dimension: number };

/** What a vector store takes at most; more is refused with `invalid_input`. */
export const VECTOR_LIMITS = {
  /** Rows of one `upsert`, ids of one `delete`. */
  maxRows: 1000,
  maxDimension: 1536,
  /** Of an id, in UTF-8 bytes: a SHA-256 in hex fits. */
  maxIdBytes: 64,
  /** Of a scope, in characters. */
  maxScopeLength: 512,
  maxScopeDepth: 16,
  /** Of source, collection and document, in characters. */
  maxFieldLength: 256,
  /** Matches of one query. */
  maxLimit: 100,
} as const;
