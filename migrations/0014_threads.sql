-- Runs that callers of other makers started, by the thread that each belongs to.
CREATE TABLE thread_runs (
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  protocol TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- 1 when the run's answer is among the messages.
  answered INTEGER NOT NULL DEFAULT 0,
  -- What the protocol keeps of its own, as JSON.
  data TEXT NOT NULL,
  PRIMARY KEY (tenant, run_id)
) WITHOUT ROWID;
CREATE INDEX thread_runs_by_thread ON thread_runs (tenant, protocol, thread_id, created_at, run_id);
CREATE INDEX thread_runs_by_time ON thread_runs (created_at);

-- What was said in them; a message is kept once for each run.
CREATE TABLE thread_messages (
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  protocol TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  data TEXT,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX thread_messages_by_run ON thread_messages (tenant, run_id, message_id);
CREATE INDEX thread_messages_by_thread ON thread_messages (tenant, protocol, thread_id, place);

-- Calls of each caller to each subject within a window of time.
CREATE TABLE caller_counts (
  tenant TEXT NOT NULL,
  caller TEXT NOT NULL,
  subject TEXT NOT NULL,
  window_ms INTEGER NOT NULL,
  window_start INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (tenant, caller, subject, window_ms, window_start)
) WITHOUT ROWID;
CREATE INDEX caller_counts_by_time ON caller_counts (window_start);
