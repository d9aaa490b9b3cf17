-- Embedder whose vectors a tenant's memories have, from its first change on.
CREATE TABLE memory_index (
  tenant TEXT PRIMARY KEY,
  -- Model and dimension.
  made TEXT NOT NULL,
  -- Milliseconds since the epoch.
  since INTEGER NOT NULL,
  -- 1 until every record has a vector of this embedder.
  pending INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX memory_index_pending ON memory_index (since) WHERE pending = 1;
