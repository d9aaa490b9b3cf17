-- What webhooks that start runs received: the newest of each. `id` orders by time.
CREATE TABLE hook_deliveries (
  tenant TEXT NOT NULL,
  hook TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER NOT NULL,
  run_id TEXT,
  event TEXT,
  reason TEXT,
  bytes INTEGER NOT NULL,
  -- Of a hook with `keepBodies` alone, cut.
  body TEXT,
  -- Deliveries that a row stands for: those whose signature does not fit are counted by the minute.
  count INTEGER NOT NULL DEFAULT 1,
  -- 1 of such a row: they do not push out the others.
  unsigned INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, hook, id)
) WITHOUT ROWID;
