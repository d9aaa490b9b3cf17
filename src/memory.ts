/** Memory: what agents remember from one run to the next. */

/** A memory, and its parts. */
export { Memory } from "./agent/memory.ts";
export { MemoryScope } from "./memory/memory-scope.ts";
export { MemorySlice, type MemorySliceOptions } from "./memory/memory-slice.ts";
export type { MemoryOptions, MemoryReranker } from "./memory/memory-options.ts";
export { workersAiReranker, type WorkersAiRerankerOptions } from "./memory/workers-ai-reranker.ts";
export type {
  ForgetFilter,
  ListRecordsOptions,
  MemoryView,
  RecallOptions,
  RecordChanges,
  RememberOptions,
} from "./memory/memory-view.ts";
export { MemoryMatch, type MemoryRecord, type ScopeInfo } from "./memory/memory-record.ts";
/** What crews, agents and flows take as `memory`. */
export type { MemoryConfig, MemoryGiven } from "./agent/memory-kit.ts";
/** What runs are given under `services.memory`, so that `memory: true` means something. */
export { memoryService, type MemoryServiceOptions } from "./agent/memory-service.ts";
/** Lessons of people's feedback in flows, kept in a memory. */
export { memoryLessons } from "./agent/memory-lessons.ts";
export type { MemoryOrder, MemoryService, MemoryStorage } from "./memory/memory-service.ts";
/** Where memories are kept; implement it for a store of your own. */
export { memoryStorage } from "./memory/in-process-records.ts";
export type { MemoryRecords } from "./memory/memory-records.ts";
/** What `defineApp({ memory })` takes. */
export { memory, type MemoryPartOptions } from "./memory-api/memory-part.ts";
/** Tools with which an agent looks into a memory, and saves to it. */
export { memoryTools, type MemoryToolsOptions } from "./agent/memory-tools.ts";
