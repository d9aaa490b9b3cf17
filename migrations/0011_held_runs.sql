-- The version of the code with which a held run was last tried; NULL for a run that is not held.
ALTER TABLE runs ADD COLUMN held_version TEXT;
-- The version of the run's definition, where the code has several.
ALTER TABLE runs ADD COLUMN definition_version TEXT;
CREATE INDEX runs_held ON runs (tenant, created_at, id) WHERE held_version IS NOT NULL;
