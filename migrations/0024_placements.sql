-- Where the objects of a tenant are. The jurisdiction is part of an object's identity: the same name elsewhere is another object.
-- So it is fixed at a tenant's first run, and the database itself refuses runs that a Worker would start elsewhere.
CREATE TABLE placements (
  tenant TEXT PRIMARY KEY,
  -- '' is none.
  jurisdiction TEXT NOT NULL
) WITHOUT ROWID;
ALTER TABLE runs ADD COLUMN jurisdiction TEXT;
CREATE TRIGGER runs_placed BEFORE INSERT ON runs
WHEN NEW.version = 0 AND EXISTS (
  SELECT 1 FROM placements WHERE tenant = NEW.tenant AND jurisdiction <> coalesce(NEW.jurisdiction, '')
)
BEGIN
  SELECT RAISE(ABORT, 'the runs of this tenant are in another jurisdiction');
END;
