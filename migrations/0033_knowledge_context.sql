-- Terms of a chunk, of the text around it, and of its headings and document, by its number. `place` is one word for tenant and collection.
-- Chunks written by earlier versions stay in knowledge_words until their document is indexed again.
CREATE VIRTUAL TABLE knowledge_terms USING fts5(
  place, own, near, about, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '.'"
);
