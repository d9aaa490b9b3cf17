-- Sessions of browsers, found by the SHA-256 of their cookie. A session ends with the key that it was made with, and one made with
-- the admin key has a mark of that key in its place. Times: milliseconds since the epoch.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  key_id TEXT,
  admin_mark TEXT,
  scopes TEXT NOT NULL,
  by_name TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_expiring ON sessions (expires_at);
CREATE INDEX sessions_by_tenant ON sessions (tenant);

-- The day, in UTC, that a key was last used on.
ALTER TABLE api_keys ADD COLUMN last_used_on TEXT;
