-- Words of a run, for the part `run-feed`; without it nothing here is written: its id, name, tags, and the beginnings of its inputs,
-- output and error, in lower case without accents, with a space before and after each word.
ALTER TABLE runs ADD COLUMN text TEXT;
