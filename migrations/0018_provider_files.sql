-- What providers of models keep for a tenant: files that were uploaded to them, until they expire there.
CREATE TABLE provider_files (
  tenant TEXT NOT NULL,
  provider TEXT NOT NULL,
  account TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  file_id TEXT NOT NULL,
  model TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, provider, account, sha256)
) WITHOUT ROWID;

CREATE INDEX provider_files_by_file ON provider_files (tenant, sha256);
CREATE INDEX provider_files_by_age ON provider_files (tenant, created_at);
CREATE INDEX provider_files_by_expiry ON provider_files (expires_at);
