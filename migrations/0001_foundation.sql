-- Index over all runs: what can be listed. The truth is in each run's own object.
CREATE TABLE runs (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Orders what runs tell of themselves: a lower version never replaces a higher one.
  version INTEGER NOT NULL,
  -- When the sweeper looks whether the run has lost its alarm; NULL for runs that need none.
  lease_until INTEGER,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (tenant, created_at DESC, id DESC);
CREATE INDEX runs_by_lease ON runs (lease_until) WHERE lease_until IS NOT NULL;

-- Crews stored over HTTP, as JSON.
CREATE TABLE definitions (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  definition TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, kind, name)
) WITHOUT ROWID;

-- API keys. Only the SHA-256 of a key is kept.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created_at, id);
