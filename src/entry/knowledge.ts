/** Knowledge: searchable documents for agents. */
import { boundVectors } from "../cloudflare/vectors/bound-vectors.ts";
import { D1KnowledgeStore, tenantsWithUnused } from "../cloudflare/stores/d1-knowledge-store.ts";
import { knowledgePart, type KnowledgePartOptions } from "../knowledge/knowledge-part.ts";
import type { Part } from "../parts/part.ts";

export { Knowledge, type KnowledgeOptions } from "../knowledge/knowledge.ts";
/** A tool with which an agent searches documents. */
export { knowledgeTool, type KnowledgeToolOptions } from "../knowledge/knowledge-tool.ts";
export type { KnowledgeConfig, KnowledgeFields } from "../knowledge/knowledge-view.ts";
export type { Chunking } from "../knowledge/chunk.ts";
export type { DocumentReader, DocumentText, ReadLimits } from "../knowledge/document-text.ts";
export type { TextMark } from "../knowledge/text-mark.ts";
export type { DocumentLoss, LossKind, LossPlace } from "../knowledge/document-losses.ts";
export type { DocumentSource, KnowledgeSource } from "../knowledge/knowledge-source.ts";
export type { Snippet } from "../knowledge/knowledge-query.ts";
/** The knowledge of one tenant, for `services.knowledge` of its runs: with it `knowledgeSources` and names of collections work. */
export {
  knowledgeService,
  type KnowledgeServiceOptions,
} from "../knowledge/make-knowledge-service.ts";
export { TEXT_READERS } from "../knowledge/readers/text-reader-list.ts";
export type { KnowledgeService } from "../knowledge/knowledge-service.ts";
export type { KnowledgePartOptions } from "../knowledge/knowledge-part.ts";
/** Storage of knowledge; implement it for a store of your own. */
export type { KnowledgeStore } from "../knowledge/knowledge-store.ts";
export { InMemoryKnowledgeStore } from "../knowledge/in-memory-knowledge-store.ts";

/**
 * Keeps documents and their chunks in D1 and a vector index, for `/knowledge` and for crews and agents with knowledge:
 * `defineApp({ knowledge: knowledge() })`.
 */
export function knowledge(options: KnowledgePartOptions = {}): Part {
  return knowledgePart(options, {
    documents: ({ env, tenant, services }) => new D1KnowledgeStore(env.DB, tenant, services.quotas),
    vectors: boundVectors,
    unused: ({ DB }, beforeMs) => tenantsWithUnused(DB, beforeMs),
  });
}
