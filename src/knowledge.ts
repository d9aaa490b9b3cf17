/** Knowledge: documents that agents can search. */

export { Knowledge, type KnowledgeOptions } from "./knowledge/knowledge.ts";
/** A tool with which an agent searches documents. */
export { knowledgeTool, type KnowledgeToolOptions } from "./knowledge/knowledge-tool.ts";
export type { KnowledgeConfig, KnowledgeFields } from "./knowledge/knowledge-view.ts";
export type { Chunking } from "./knowledge/chunk.ts";
export type {
  DocumentReader,
  DocumentText,
  ReadLimits,
  TextMark,
} from "./knowledge/document-text.ts";
export type { DocumentSource, KnowledgeSource } from "./knowledge/knowledge-source.ts";
export type { Snippet } from "./knowledge/query-knowledge.ts";
/** The knowledge of one tenant, for `services.knowledge` of its runs: with it `knowledgeSources` and names of collections work. */
export {
  knowledgeService,
  TEXT_READERS,
  type KnowledgeServiceOptions,
} from "./knowledge/make-knowledge-service.ts";
export type { KnowledgeService } from "./knowledge/knowledge-service.ts";
/** What `defineApp({ knowledge })` takes. */
export { knowledge, type KnowledgePartOptions } from "./knowledge-api/knowledge-part.ts";
/** Where knowledge is kept; implement it for a store of your own. */
export type { KnowledgeStore } from "./knowledge/knowledge-store.ts";
export { InMemoryKnowledgeStore } from "./knowledge/in-memory-knowledge-store.ts";
