-- Cron schedules. Those of the code are here as well: for their next slot, and to be paused.
CREATE TABLE schedules (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  -- As JSON: cron, timeZone, target, inputs, missed, overlap.
  definition TEXT NOT NULL,
  paused INTEGER NOT NULL,
  -- The slot that is started next; NULL when none will come, or while it is paused.
  next_at INTEGER,
  -- When the sweeper looks: at the slot, or later while one is at it or after it could not be started.
  due_at INTEGER,
  last_run TEXT,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX schedules_by_due ON schedules (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX schedules_of_code ON schedules (source) WHERE source = 'code';

-- What became of the last slots of each schedule.
CREATE TABLE schedule_firings (
  tenant TEXT NOT NULL,
  schedule TEXT NOT NULL,
  -- The slot, or the run of a start by hand.
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- As JSON.
  firing TEXT NOT NULL,
  PRIMARY KEY (tenant, schedule, key)
) WITHOUT ROWID;
CREATE INDEX schedule_firings_by_time ON schedule_firings (tenant, schedule, at DESC, key DESC);

-- Webhooks that start runs. Secrets are encrypted with a key that only the Worker has.
CREATE TABLE hooks (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  -- As JSON: scheme, target, inputs, schema, names of headers.
  definition TEXT NOT NULL,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
