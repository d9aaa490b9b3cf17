-- Sums over runs, for the part `usage`; without it nothing here is written.
-- What a run has consumed so far, by model, as JSON: what of it is in the sums already.
ALTER TABLE runs ADD COLUMN usage TEXT;
-- Hours and days since the epoch, in UTC.
CREATE TABLE run_hours (
  tenant TEXT NOT NULL,
  hour INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  started INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  -- Of the runs that have ended, from their start to their end.
  run_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, hour, kind, name)
) WITHOUT ROWID;
CREATE TABLE usage_days (
  tenant TEXT NOT NULL,
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cost REAL NOT NULL,
  PRIMARY KEY (tenant, day, kind, name, model)
) WITHOUT ROWID;
