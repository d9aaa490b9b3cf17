-- States that flows keep, in the order in which they came in: the newest of a flow id is the one with the highest seq.
CREATE TABLE flow_states (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  flow TEXT NOT NULL,
  flow_id TEXT NOT NULL,
  method TEXT NOT NULL,
  -- The state as JSON, and its size in bytes.
  state TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  -- The run and the step that saved it: a repeated save replaces its row.
  run_id TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX flow_states_by_save ON flow_states (tenant, run_id, key);
CREATE INDEX flow_states_by_flow ON flow_states (tenant, flow, flow_id, seq);
