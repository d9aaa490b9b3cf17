-- What the operator allows a tenant, for the part `quotas`. As JSON; what is absent is as the code says.
CREATE TABLE tenants (
  tenant TEXT PRIMARY KEY,
  quotas TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What has happened since the last alert of its kind, for the part `alerts`.
CREATE TABLE alerts (
  kind TEXT PRIMARY KEY,
  -- Not told yet.
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- One of them, as JSON: tenant, run.
  example TEXT,
  -- When the next one may be sent.
  due_at INTEGER NOT NULL,
  -- How often sending has failed in a row.
  attempts INTEGER NOT NULL
) WITHOUT ROWID;
