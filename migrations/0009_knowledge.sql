-- Documents of knowledge, by collection. Of one that failed, `error` says why.
CREATE TABLE knowledge_documents (
  tenant TEXT NOT NULL,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  reader TEXT NOT NULL,
  state TEXT NOT NULL,
  hash TEXT NOT NULL,
  recipe TEXT NOT NULL,
  characters INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  indexed INTEGER NOT NULL,
  error TEXT,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, collection, id)
) WITHOUT ROWID;
CREATE INDEX knowledge_documents_by_name ON knowledge_documents (tenant, collection, name);

-- Pieces of their text. `place` is JSON: page, row, sheet, heading.
CREATE TABLE knowledge_chunks (
  number INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  content TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL,
  place TEXT NOT NULL
);
CREATE UNIQUE INDEX knowledge_chunks_by_id ON knowledge_chunks (tenant, collection, id);
CREATE INDEX knowledge_chunks_by_document ON knowledge_chunks (tenant, collection, document, ordinal);

-- The words of a chunk, by its number, as stems; `place` is one word for its tenant and collection, so that a search stays within them.
CREATE VIRTUAL TABLE knowledge_words USING fts5(place, terms, tokenize = 'unicode61');
