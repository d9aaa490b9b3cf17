-- What providers of models keep for a tenant: files that were uploaded to them, until they expire there.
CREATE TABLE file_uploads (
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

CREATE INDEX file_uploads_by_file ON file_uploads (tenant, sha256);
CREATE INDEX file_uploads_by_age ON file_uploads (tenant, created_at);
CREATE INDEX file_uploads_by_expiry ON file_uploads (expires_at);
