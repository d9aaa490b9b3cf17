-- What was stored under a name: the newest versions of crews, flows and conversations.
CREATE TABLE definition_versions (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- What was sent; NULL where it has keys written out, or is very long.
  source TEXT,
  media_type TEXT,
  definition TEXT NOT NULL,
  -- Of what was sent and what it means; empty where keys are written out, so that they are encrypted again each time.
  hash TEXT NOT NULL,
  by_name TEXT,
  note TEXT,
  bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, kind, name, version)
);
INSERT INTO definition_versions (tenant, kind, name, version, definition, hash, bytes, created_at)
SELECT tenant, kind, name, 1, definition, '', LENGTH(CAST(definition AS BLOB)), updated_at FROM definitions;
