-- What is remembered. The vectors are kept elsewhere: `indexed` is 0 as long as they lack this version of the record.
CREATE TABLE memories (
  row INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  -- A path such as /crew/briefing.
  scope TEXT NOT NULL,
  content TEXT NOT NULL,
  -- A list of texts, and an object with its fields in the order of the alphabet; both as JSON.
  categories TEXT NOT NULL,
  metadata TEXT NOT NULL,
  importance REAL NOT NULL,
  source TEXT,
  private INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_accessed INTEGER NOT NULL,
  -- Place of the last change in the order of the tenant's writes.
  version INTEGER NOT NULL,
  indexed INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tenant, id)
);
CREATE INDEX memories_by_time ON memories (tenant, created_at DESC, id DESC);
CREATE INDEX memories_by_scope ON memories (tenant, scope, created_at DESC, id DESC);
CREATE INDEX memories_by_version ON memories (tenant, version);
CREATE INDEX memories_unindexed ON memories (tenant, version) WHERE indexed = 0;

-- Full text. The tenant is a word of each row, so that a search reads the lists of one tenant alone.
CREATE VIRTUAL TABLE memory_text USING fts5(
  tenant, content, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Deleted records whose vectors may still be there.
CREATE TABLE memory_stale (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

CREATE TRIGGER memories_inserted AFTER INSERT ON memories BEGIN
  INSERT INTO memory_text (rowid, tenant, content) VALUES (new.row, 't' || hex(new.tenant) || 'q', new.content);
  DELETE FROM memory_stale WHERE tenant = new.tenant AND id = new.id;
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF content ON memories WHEN old.content <> new.content BEGIN
  DELETE FROM memory_text WHERE rowid = old.row;
  INSERT INTO memory_text (rowid, tenant, content) VALUES (new.row, 't' || hex(new.tenant) || 'q', new.content);
END;
CREATE TRIGGER memories_deleted AFTER DELETE ON memories BEGIN
  DELETE FROM memory_text WHERE rowid = old.row;
  INSERT OR IGNORE INTO memory_stale (tenant, id) VALUES (old.tenant, old.id);
END;

-- Where each tenant's order of writes stands.
CREATE TABLE memory_state (
  tenant TEXT PRIMARY KEY,
  seq INTEGER NOT NULL
) WITHOUT ROWID;

-- Changes that were made, by name, so that none is made twice. `state` is open only inside the transaction that makes it.
CREATE TABLE memory_writes (
  tenant TEXT NOT NULL,
  op TEXT NOT NULL,
  state TEXT NOT NULL,
  result INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant, op)
) WITHOUT ROWID;
CREATE INDEX memory_writes_by_time ON memory_writes (tenant, at);
