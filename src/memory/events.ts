import type { JsonObject } from "../base/json.ts";
import { eventTypes } from "../events/run-event.ts";

/** Reading and writing memories. Times are in milliseconds. */
export interface MemoryEvents {
  memory_query_started: AboutQuery;
  /** `results` are the ids of what was found, best first; `analysis` is what a model made of the question, where one was asked. */
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
    /** Of what was made, changed and deleted. */
    saved: readonly string[];
    metadata?: JsonObject;
    agentRole?: string;
  };
  memory_save_failed: { value?: string; metadata?: JsonObject; agentRole?: string; error: string };
  memory_retrieval_started: { taskId?: string };
  memory_retrieval_completed: { taskId?: string; memoryContent: string; retrievalTimeMs: number };
  memory_retrieval_failed: { taskId?: string; error: string };
  /** The vectors could not be asked, or lack some records; full text stood in for them. */
  memory_index_degraded: { reason: string; missing: number };
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
});

/** How a question was searched for: `since` is the time before which nothing counts. */
export type AboutAnalysis = {
  readonly queries: readonly string[];
  readonly scopes: readonly string[];
  readonly since?: string;
};
