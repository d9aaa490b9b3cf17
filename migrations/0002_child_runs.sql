-- Whose child a run is: the parent's id, and the step there that waits for it.
ALTER TABLE runs ADD COLUMN parent_id TEXT;
ALTER TABLE runs ADD COLUMN parent_key TEXT;
CREATE INDEX runs_by_parent ON runs (tenant, parent_id, created_at DESC, id DESC) WHERE parent_id IS NOT NULL;
