import type { JsonObject } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/** Events of memory reads and writes. Times are in milliseconds. */
export interface MemoryEvents {
  memory_query_started: AboutQuery;
  /**
   * `results` has the ids of the matches, best first. `analysis` is the model's analysis of the question, if there was
   * one.
   */
  memory_query_completed: AboutQuery & {
    results: readonly string[];
    queryTimeMs: number;
    analysis?: AboutAnalysis;
  };
  memory_query_failed: AboutQuery & { error: string };
  memory_save_started: { value?: string; metadata?: JsonObject; agentRole?: string };
  memory_save_completed: {
    value: string;
    saveTimeMs: number;
    /** Ids of created, changed and deleted records. */
    saved: readonly string[];
    metadata?: JsonObject;
    agentRole?: string;
  };
  memory_save_failed: { value?: string; metadata?: JsonObject; agentRole?: string; error: string };
  memory_retrieval_started: { taskId?: string };
  memory_retrieval_completed: { taskId?: string; memoryContent: string; retrievalTimeMs: number };
  memory_retrieval_failed: { taskId?: string; error: string };
  /** The vector index failed or lacked some records, and full text replaced it. */
  memory_index_degraded: { reason: string; missing: number };
  /** Vectors made so far by a reindex, and records that still lack one. */
  memory_reindex_progress: { made: number; left: number };
}

type AboutQuery = { query: string; limit: number; scope?: string; scoreThreshold?: number };

declare module "../events/run-event.ts" {
  interface EventPayloads extends MemoryEvents {}
}

export const memoryEvents = eventTypes<MemoryEvents>({
  memory_query_started: true,
  memory_query_completed: true,
  memory_query_failed: true,
  memory_save_started: true,
  memory_save_completed: true,
  memory_save_failed: true,
  memory_retrieval_started: true,
  memory_retrieval_completed: true,
  memory_retrieval_failed: true,
  memory_index_degraded: true,
  memory_reindex_progress: true,
});

/** A model's search plan for a question. Records older than `since` are left out. */
export type AboutAnalysis = {
  readonly queries: readonly string[];
  readonly scopes: readonly string[];
  readonly since?: string;
};
