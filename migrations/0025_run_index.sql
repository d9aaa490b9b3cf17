-- More of what a run says of itself in its row, so that runs are found by it. Rows from before have none of it until they say it again.
-- The place in the tenant's order of changes.
ALTER TABLE runs ADD COLUMN change INTEGER;
ALTER TABLE runs ADD COLUMN started_at INTEGER;
ALTER TABLE runs ADD COLUMN finished_at INTEGER;
-- What it has consumed: said when it waits and when it has ended.
ALTER TABLE runs ADD COLUMN requests INTEGER;
ALTER TABLE runs ADD COLUMN tokens INTEGER;
ALTER TABLE runs ADD COLUMN cost REAL;
-- Open waits that somebody outside can end.
ALTER TABLE runs ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN error_code TEXT;
ALTER TABLE runs ADD COLUMN error TEXT;
-- As a JSON list.
ALTER TABLE runs ADD COLUMN tags TEXT;
-- `schedule:<id>`, `hook:<name>`, `queue:<name>`. NULL: a caller, or the run's parent.
ALTER TABLE runs ADD COLUMN started_by TEXT;
-- Of a fork: the run that it was forked from.
ALTER TABLE runs ADD COLUMN origin_id TEXT;
ALTER TABLE runs ADD COLUMN code_version TEXT;
CREATE UNIQUE INDEX runs_by_change ON runs (tenant, change) WHERE change IS NOT NULL;
CREATE INDEX runs_by_name ON runs (tenant, name, created_at DESC, id DESC);
CREATE INDEX runs_open ON runs (tenant, status, created_at DESC, id DESC) WHERE status IN ('queued', 'running', 'waiting');
CREATE INDEX runs_by_origin ON runs (tenant, origin_id, created_at DESC, id DESC) WHERE origin_id IS NOT NULL;
UPDATE runs SET waits = (SELECT COUNT(*) FROM waits WHERE waits.tenant = runs.tenant AND waits.run_id = runs.id)
  WHERE (tenant, id) IN (SELECT tenant, run_id FROM waits);

CREATE TABLE run_tags (
  tenant TEXT NOT NULL,
  tag TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  PRIMARY KEY (tenant, tag, created_at, run_id)
) WITHOUT ROWID;

-- Deleted runs, each with its place in the order of changes. An empty id: deletions up to there are forgotten.
CREATE TABLE run_tombstones (
  tenant TEXT NOT NULL,
  change INTEGER NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant, change)
) WITHOUT ROWID;
CREATE INDEX run_tombstones_by_time ON run_tombstones (at);

-- When a wait ends by itself. NULL: never.
ALTER TABLE waits ADD COLUMN expires_at INTEGER;
UPDATE waits SET expires_at = CAST(strftime('%s', wait ->> 'expiresAt') AS INTEGER) * 1000 WHERE wait ->> 'expiresAt' IS NOT NULL;
CREATE INDEX waits_by_expiry ON waits (tenant, expires_at, opened_at, run_id, key) WHERE expires_at IS NOT NULL;
