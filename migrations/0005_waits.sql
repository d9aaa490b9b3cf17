-- What runs wait for from people and programs outside: the inbox of those who answer. Told with the runs' index rows.
CREATE TABLE waits (
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  key TEXT NOT NULL,
  run_kind TEXT NOT NULL,
  run_name TEXT NOT NULL,
  -- The wait as the API shows it, as JSON.
  wait TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, run_id, key)
) WITHOUT ROWID;
CREATE INDEX waits_by_time ON waits (tenant, opened_at, run_id, key);
