-- Files that tasks write and read, for apps that keep them in D1.
CREATE TABLE files (
  tenant TEXT NOT NULL,
  path TEXT NOT NULL,
  media_type TEXT NOT NULL,
  content BLOB NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, path)
);
