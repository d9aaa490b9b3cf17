/** String metadata indexes that the Vectorize index must have, before anything is written. */
export const VECTORIZE_METADATA_INDEXES = [
  "scope_a",
  "scope_b",
  "owner",
  "source",
  "collection",
  "document",
] as const;
