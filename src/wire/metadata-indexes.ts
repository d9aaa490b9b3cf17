/** String metadata indexes the Vectorize index must have before the first write. */
export const VECTORIZE_METADATA_INDEXES = [
  "scope_a",
  "scope_b",
  "owner",
  "source",
  "collection",
  "document",
] as const;
