CREATE TABLE model_cache (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

CREATE INDEX model_cache_by_expiry ON model_cache (expires_at);
