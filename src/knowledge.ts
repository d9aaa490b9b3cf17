/** Knowledge: documents that agents find what they need in. */

export { Knowledge, type KnowledgeOptions } from "./agent/knowledge.ts";
/** A tool with which an agent asks documents. */
export { knowledgeTool, type KnowledgeToolOptions } from "./agent/knowledge-tool.ts";
export type { KnowledgeConfig, KnowledgeGiven } from "./agent/knowledge-kit.ts";
export type { Chunking } from "./knowledge/chunk.ts";
export type {
  DocumentReader,
  DocumentText,
  ReadLimits,
  TextMark,
} from "./knowledge/document-text.ts";
export type { DocumentSource, KnowledgeSource } from "./knowledge/knowledge-source.ts";
export type { Snippet } from "./knowledge/query-knowledge.ts";
/** What runs are given under `services.knowledge`, so that `knowledgeSources` and names of collections mean something. */
export {
  knowledgeService,
  TEXT_READERS,
  type KnowledgeServiceOptions,
} from "./agent/knowledge-service.ts";
export type { KnowledgeService } from "./knowledge/knowledge-service.ts";
/** What `defineApp({ knowledge })` takes. */
export { knowledge, type KnowledgePartOptions } from "./knowledge-api/knowledge-part.ts";
/** Where knowledge is kept; implement it for a store of your own. */
export type { KnowledgeStore } from "./knowledge/knowledge-store.ts";
export { InMemoryKnowledgeStore } from "./knowledge/in-memory-knowledge-store.ts";
