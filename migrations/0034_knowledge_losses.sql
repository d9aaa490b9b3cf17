-- Content of a document that its text does not have, as JSON.
ALTER TABLE knowledge_documents ADD COLUMN losses TEXT;
