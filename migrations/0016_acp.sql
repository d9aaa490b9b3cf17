-- Tasks of the agent protocol under /api/a2a and /api/acp. What a task did is in its run; this is how it is found and what is pending for it.
CREATE TABLE acp_tasks (
  -- The order of a session's queue.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  -- NULL: in no session that is still there.
  session TEXT,
  -- queued, active or ended. A session has one active task at most.
  state TEXT NOT NULL,
  run_id TEXT NOT NULL,
  -- SHA-256 of what was sent, so that the same request again is the same task.
  digest TEXT NOT NULL,
  -- What is still to be done with the run: launch, pause, unpause, cancel. NULL: nothing.
  pending TEXT,
  -- When the sweeper looks. NULL: never.
  due_at INTEGER,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- As JSON: agent, messages, metadata, history and the rest.
  data TEXT NOT NULL,
  UNIQUE (tenant, id)
);
CREATE INDEX acp_tasks_by_session ON acp_tasks (tenant, session, seq) WHERE session IS NOT NULL;
CREATE UNIQUE INDEX acp_tasks_active ON acp_tasks (tenant, session) WHERE state = 'active' AND session IS NOT NULL;
CREATE INDEX acp_tasks_by_due ON acp_tasks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX acp_tasks_by_end ON acp_tasks (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE acp_sessions (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  id TEXT NOT NULL,
  repo_scope TEXT,
  closed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_active INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
CREATE UNIQUE INDEX acp_sessions_by_id ON acp_sessions (tenant, id);

-- Context for the next task of a tenant.
CREATE TABLE acp_contexts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  -- As JSON: type, content, metadata, priority.
  data TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX acp_contexts_by_tenant ON acp_contexts (tenant, seq);
CREATE INDEX acp_contexts_by_expiry ON acp_contexts (expires_at);

-- Agents elsewhere that have registered themselves.
CREATE TABLE acp_remotes (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  -- As JSON.
  card TEXT NOT NULL,
  last_heartbeat INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
