-- Files by id, and the files of runs' workspaces. Their bytes are in the file store, once per tenant: rows name them by SHA-256, and a
-- blob says at which path they are. It goes with the last row that names it.
CREATE TABLE file_blobs (
  tenant TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (tenant, sha256)
) WITHOUT ROWID;

CREATE TABLE stored_files (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  kind TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- As JSON: width, height, pages, seconds.
  details TEXT,
  -- The run that it belongs to, and goes with.
  run_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- When the sweeper looks. NULL: never.
  sweep_at INTEGER,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX stored_files_by_time ON stored_files (tenant, created_at DESC, id DESC);
CREATE INDEX stored_files_by_content ON stored_files (tenant, sha256, bytes);
CREATE INDEX stored_files_by_run ON stored_files (tenant, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX stored_files_by_sweep ON stored_files (sweep_at) WHERE sweep_at IS NOT NULL;

-- The runs that were started with a file.
CREATE TABLE file_uses (
  tenant TEXT NOT NULL,
  file_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  PRIMARY KEY (tenant, file_id, run_id)
) WITHOUT ROWID;
CREATE INDEX file_uses_by_run ON file_uses (tenant, run_id);

CREATE TABLE workspace_files (
  tenant TEXT NOT NULL,
  -- runs/<id>, or workspaces/<name>.
  workspace TEXT NOT NULL,
  path TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, workspace, path)
) WITHOUT ROWID;
CREATE INDEX workspace_files_by_content ON workspace_files (tenant, sha256);

-- Runs whose workspace is not their own.
CREATE TABLE run_workspaces (
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  workspace TEXT NOT NULL,
  PRIMARY KEY (tenant, run_id)
) WITHOUT ROWID;

-- A change of several files that may be made. There is a row only inside the transaction that makes it.
CREATE TABLE workspace_changes (
  tenant TEXT NOT NULL,
  token TEXT NOT NULL,
  PRIMARY KEY (tenant, token)
) WITHOUT ROWID;

-- Paths in the file store that are to be deleted when they are due: bytes that no row names any more, and at once for those that are
-- being written, which are struck off when a row names them.
CREATE TABLE file_removals (
  tenant TEXT NOT NULL,
  path TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, path)
) WITHOUT ROWID;
CREATE INDEX file_removals_by_due ON file_removals (due_at);

-- Uploads in several requests that are not complete.
CREATE TABLE file_uploads (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  path TEXT NOT NULL,
  -- As the file store calls it.
  upload_id TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  received INTEGER NOT NULL,
  -- As JSON: the tags of the parts, where the digest stands, and what the file is to be.
  data TEXT NOT NULL,
  -- Who may add to it until then.
  holder TEXT,
  held_until INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX file_uploads_by_due ON file_uploads (due_at);

CREATE TRIGGER stored_files_deleted AFTER DELETE ON stored_files BEGIN
  INSERT INTO file_removals (tenant, path, due_at)
    SELECT b.tenant, b.path, 0 FROM file_blobs b WHERE b.tenant = old.tenant AND b.sha256 = old.sha256
      AND NOT EXISTS (SELECT 1 FROM stored_files f WHERE f.tenant = old.tenant AND f.sha256 = old.sha256)
      AND NOT EXISTS (SELECT 1 FROM workspace_files w WHERE w.tenant = old.tenant AND w.sha256 = old.sha256);
  DELETE FROM file_blobs WHERE tenant = old.tenant AND sha256 = old.sha256
    AND NOT EXISTS (SELECT 1 FROM stored_files f WHERE f.tenant = old.tenant AND f.sha256 = old.sha256)
    AND NOT EXISTS (SELECT 1 FROM workspace_files w WHERE w.tenant = old.tenant AND w.sha256 = old.sha256);
  DELETE FROM file_uses WHERE tenant = old.tenant AND file_id = old.id;
END;
CREATE TRIGGER workspace_files_deleted AFTER DELETE ON workspace_files BEGIN
  INSERT INTO file_removals (tenant, path, due_at)
    SELECT b.tenant, b.path, 0 FROM file_blobs b WHERE b.tenant = old.tenant AND b.sha256 = old.sha256
      AND NOT EXISTS (SELECT 1 FROM stored_files f WHERE f.tenant = old.tenant AND f.sha256 = old.sha256)
      AND NOT EXISTS (SELECT 1 FROM workspace_files w WHERE w.tenant = old.tenant AND w.sha256 = old.sha256);
  DELETE FROM file_blobs WHERE tenant = old.tenant AND sha256 = old.sha256
    AND NOT EXISTS (SELECT 1 FROM stored_files f WHERE f.tenant = old.tenant AND f.sha256 = old.sha256)
    AND NOT EXISTS (SELECT 1 FROM workspace_files w WHERE w.tenant = old.tenant AND w.sha256 = old.sha256);
END;
CREATE TRIGGER workspace_files_changed AFTER UPDATE OF sha256 ON workspace_files WHEN old.sha256 <> new.sha256 BEGIN
  INSERT INTO file_removals (tenant, path, due_at)
    SELECT b.tenant, b.path, 0 FROM file_blobs b WHERE b.tenant = old.tenant AND b.sha256 = old.sha256
      AND NOT EXISTS (SELECT 1 FROM stored_files f WHERE f.tenant = old.tenant AND f.sha256 = old.sha256)
      AND NOT EXISTS (SELECT 1 FROM workspace_files w WHERE w.tenant = old.tenant AND w.sha256 = old.sha256);
  DELETE FROM file_blobs WHERE tenant = old.tenant AND sha256 = old.sha256
    AND NOT EXISTS (SELECT 1 FROM stored_files f WHERE f.tenant = old.tenant AND f.sha256 = old.sha256)
    AND NOT EXISTS (SELECT 1 FROM workspace_files w WHERE w.tenant = old.tenant AND w.sha256 = old.sha256);
END;
