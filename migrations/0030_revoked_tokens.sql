-- Tokens of front ends that count no longer: one by its id, or all of a run or a target that were made up to a second. Rows are
-- of no use once the last such token would have expired anyway. Times: seconds since the epoch.
CREATE TABLE revoked_tokens (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  made_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, subject)
) WITHOUT ROWID;
CREATE INDEX revoked_tokens_expiring ON revoked_tokens (expires_at);
