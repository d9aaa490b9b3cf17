-- What stands behind vectors in Vectorize: which vector is which row, and those that Vectorize has not indexed yet.
CREATE TABLE vector_collections (
  namespace TEXT PRIMARY KEY,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL
);

CREATE TABLE vector_rows (
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The id in Vectorize: never used twice.
  key TEXT NOT NULL UNIQUE,
  scope TEXT,
  source TEXT,
  private INTEGER NOT NULL,
  collection TEXT,
  document TEXT,
  -- Until Vectorize has indexed it: the vector (base64 of float32), and the mutation that brings it there, once it was accepted.
  vector TEXT,
  mutation TEXT,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (namespace, id)
);
CREATE INDEX vector_rows_pending ON vector_rows (namespace, written_at) WHERE vector IS NOT NULL;

-- Mutations that Vectorize accepted, by ticks of one clock: those accepted before another was begun come before it.
CREATE TABLE vector_mutations (
  mutation TEXT PRIMARY KEY,
  begun INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL
);
CREATE TABLE vector_ticks (only INTEGER PRIMARY KEY CHECK (only = 1), tick INTEGER NOT NULL);
INSERT INTO vector_ticks VALUES (1, 0);

-- Vectors that stand for no row any more, to be deleted from Vectorize.
CREATE TABLE vector_garbage (
  key TEXT PRIMARY KEY,
  discarded_at INTEGER NOT NULL
);
CREATE INDEX vector_garbage_age ON vector_garbage (discarded_at);
