import { MemoryKnowledgeStore } from "../../../src/knowledge/memory-knowledge-store.ts";
import { knowledgeStoreSuite } from "../../support/knowledge-store.suite.ts";

knowledgeStoreSuite(() => new MemoryKnowledgeStore());
