/** Memory: knowledge of agents across runs. */
import { boundVectors } from "../cloudflare/vectors/bound-vectors.ts";
import { D1MemoryRecords } from "../cloudflare/stores/d1-memory-records.ts";
import { pendingIndexes } from "../cloudflare/stores/memory-index-rows.ts";
import { tenantsWithOldWords } from "../cloudflare/stores/memory-words.ts";
import { memoryPart, type MemoryPartOptions } from "../memory/memory-part.ts";
import type { Part } from "../parts/part.ts";

/** A memory, and its parts. */
export { Memory } from "../memory/memory.ts";
export { MemoryScope } from "../memory/memory-scope.ts";
export { MemorySlice, type MemorySliceOptions } from "../memory/memory-slice.ts";
export type { MemoryOptions, MemoryReranker } from "../memory/memory-options.ts";
export { workersAiReranker, type WorkersAiRerankerOptions } from "../memory/workers-ai-reranker.ts";
export type {
  ForgetFilter,
  ListRecordsOptions,
  MemoryView,
  RecallOptions,
  RecordChanges,
  RememberOptions,
} from "../memory/memory-view.ts";
export { MemoryMatch, type MemoryRecord, type ScopeInfo } from "../memory/memory-record.ts";
/** The option `memory` of crews, agents and flows. */
export type { MemoryConfig, MemoryOption } from "../memory/memory-service.ts";
/** The memory of one tenant, for `services.memory` of its runs: with it `memory: true` works. */
export { memoryService, type MemoryServiceOptions } from "../memory/make-memory-service.ts";
export type { MemoryRequest, MemoryService } from "../memory/memory-service.ts";
/** Lessons from people's feedback in flows, stored in a memory. */
export { memoryLessons } from "../flow/memory-lessons.ts";
/** Storage of memories; implement it for a store of your own. */
export { inMemoryStorage } from "../memory/in-memory-records.ts";
export type { MemoryRecords, MemoryStorage } from "../memory/memory-records.ts";
export type { MemoryPartOptions } from "../memory/memory-part.ts";
/** Tools with which an agent searches a memory, and saves to it. */
export { memoryTools, type MemoryToolsOptions } from "../memory/memory-tools.ts";

/**
 * Stores memories in D1 and a vector index, for `/memory` and for crews, agents and flows with `memory`: `defineApp({
 * memory: memory() })`. The options apply to all of them; their own settings take precedence. Throws
 * `invalid_definition` for invalid options.
 */
export function memory(options: MemoryPartOptions = {}): Part {
  return memoryPart(options, {
    records: ({ env, tenant, services }) => new D1MemoryRecords(env.DB, tenant, services.quotas),
    vectors: boundVectors,
    pending: ({ DB }) => pendingIndexes(DB),
    outdated: ({ DB }) => tenantsWithOldWords(DB),
  });
}
