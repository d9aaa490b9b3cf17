-- Looks up memories by their very text, so that the same text is not stored twice at one scope.
CREATE INDEX memories_by_text ON memories (tenant, substr(content, 1, 64));
