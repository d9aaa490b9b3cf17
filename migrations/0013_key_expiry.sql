-- Keys that stop working by themselves. NULL: never. Milliseconds since the epoch.
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
