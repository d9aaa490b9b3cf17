-- Context of memories: the speaker, the conversation, text around it, and the ids of its neighbours (a list as JSON).
ALTER TABLE memories ADD COLUMN speaker TEXT;
ALTER TABLE memories ADD COLUMN conversation TEXT;
ALTER TABLE memories ADD COLUMN context TEXT;
ALTER TABLE memories ADD COLUMN neighbours TEXT;
-- The terms of the speaker's name between spaces.
ALTER TABLE memories ADD COLUMN speaker_terms TEXT;
-- Version of the terms in memory_words; -1 if they must be made again, 0 if the text is in memory_text.
ALTER TABLE memories ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
CREATE INDEX memories_of_conversation ON memories (tenant, conversation) WHERE conversation IS NOT NULL;
-- Rows of earlier versions. Fresh rows are not in it.
CREATE INDEX memories_of_old_words ON memories (tenant) WHERE words < 1;

-- Terms of memories, made by src/text: `place` has the words of the tenant, the owner and the scopes of a row.
CREATE VIRTUAL TABLE memory_words USING fts5(
  place, own, near, about, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '.'"
);

-- memory_text keeps rows of earlier versions until their terms are made.
DROP TRIGGER memories_inserted;
CREATE TRIGGER memories_inserted AFTER INSERT ON memories BEGIN
  INSERT INTO memory_text (rowid, tenant, content)
    SELECT new.row, 't' || hex(new.tenant) || 'q', new.content WHERE new.words = 0;
  DELETE FROM memory_stale WHERE tenant = new.tenant AND id = new.id;
END;
DROP TRIGGER memories_changed;
CREATE TRIGGER memories_changed AFTER UPDATE OF content ON memories WHEN old.content <> new.content AND new.words = 0 BEGIN
  DELETE FROM memory_text WHERE rowid = old.row;
  INSERT INTO memory_text (rowid, tenant, content) VALUES (new.row, 't' || hex(new.tenant) || 'q', new.content);
END;
-- Rows leave memory_text when their terms are made.
CREATE TRIGGER memories_renewed AFTER UPDATE OF words ON memories WHEN old.words = 0 AND new.words <> 0 BEGIN
  DELETE FROM memory_text WHERE rowid = old.row;
END;
DROP TRIGGER memories_deleted;
CREATE TRIGGER memories_deleted AFTER DELETE ON memories BEGIN
  DELETE FROM memory_text WHERE rowid = old.row AND old.words = 0;
  DELETE FROM memory_words WHERE rowid = old.row AND old.words <> 0;
  INSERT OR IGNORE INTO memory_stale (tenant, id) VALUES (old.tenant, old.id);
END;
