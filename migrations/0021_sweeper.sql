-- When the cron trigger last came: one row.
CREATE TABLE sweeper (only INTEGER PRIMARY KEY CHECK (only = 1), last_at INTEGER NOT NULL);
