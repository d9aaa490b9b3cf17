import { eventTypes } from "../events/run-event.ts";
import type { DocumentLoss } from "./document-losses.ts";

/**
 * Events of searching and indexing knowledge. `collection` is a name of the tenant's, `document` the name of a document
 * in it.
 */
interface KnowledgeEvents {
  knowledge_query_started: { taskPrompt: string };
  knowledge_query_completed: { query: string };
  knowledge_query_failed: { error: string };
  knowledge_search_query_started: { query: string; collection: string };
  knowledge_search_query_completed: {
    query: string;
    collection: string;
    retrievedKnowledge: string;
    /** Reason for a search by words only. */
    degraded?: string;
  };
  knowledge_search_query_failed: { query: string; collection: string; error: string };
  knowledge_document_started: { collection: string; document: string };
  knowledge_document_progress: {
    collection: string;
    document: string;
    indexed: number;
    chunks: number;
  };
  knowledge_document_completed: {
    collection: string;
    document: string;
    chunks: number;
    /** Number of embedded chunks: 0 for an unchanged document. */
    embedded: number;
    /** Content that the document's text does not have. Absent without losses. */
    losses?: readonly DocumentLoss[];
  };
  knowledge_document_failed: { collection: string; document: string; error: string };
}

declare module "../events/run-event.ts" {
  interface EventPayloads extends KnowledgeEvents {}
}

export const knowledgeEvents = eventTypes<KnowledgeEvents>({
  knowledge_query_started: true,
  knowledge_query_completed: true,
  knowledge_query_failed: true,
  knowledge_search_query_started: true,
  knowledge_search_query_completed: true,
  knowledge_search_query_failed: true,
  knowledge_document_started: true,
  knowledge_document_progress: true,
  knowledge_document_completed: true,
  knowledge_document_failed: true,
});
