import { InMemoryKnowledgeStore } from "../../../src/knowledge/in-memory-knowledge-store.ts";
import { knowledgeStoreSuite } from "../../support/knowledge-store.suite.ts";

knowledgeStoreSuite(() => new InMemoryKnowledgeStore());
