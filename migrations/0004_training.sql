-- What crews were taught, by the name that a training is kept under: { role: { suggestions, quality, finalSummary } } as JSON.
CREATE TABLE trainings (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  agents TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

-- Results of tests of crews, one for each run and crew. The report is JSON.
CREATE TABLE evaluations (
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  crew TEXT NOT NULL,
  eval_model TEXT NOT NULL,
  report TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, run_id, crew)
) WITHOUT ROWID;
CREATE INDEX evaluations_by_time ON evaluations (tenant, crew, created_at DESC, run_id DESC);
