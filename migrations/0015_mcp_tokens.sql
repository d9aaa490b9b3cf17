CREATE TABLE mcp_tokens (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  sealed TEXT NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (tenant, key)
);
