-- Collections that tools have made when they were first asked: how old what is in them is, and when they were last used.
CREATE TABLE knowledge_uses (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  collection TEXT NOT NULL,
  model TEXT NOT NULL,
  version TEXT,
  is_temporary INTEGER NOT NULL,
  checked_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX knowledge_uses_by_collection ON knowledge_uses (tenant, collection);
CREATE INDEX knowledge_uses_by_age ON knowledge_uses (used_at) WHERE is_temporary = 1;
