import type { ScopeInfo } from "./memory-record.ts";
import type { RecordPage } from "./memory-records.ts";
import type {
  ForgetFilter,
  ListRecordsOptions,
  MemoryPlace,
  MemoryView,
  RememberOptions,
} from "./memory-view.ts";

/** A memory as its scopes and slices see it: `Memory` without the methods that make them. */
export interface RootedMemory extends MemoryView {
  inRun(place: MemoryPlace): RootedMemory;
  /** Returns this memory with another root, which lies within the current one. */
  rootedAt(path: string): RootedMemory;
  /** Saves like `rememberMany`, but waits. Returns the ids of created, changed and deleted records. */
  rememberAll(contents: readonly string[], options?: RememberOptions): Promise<readonly string[]>;
  /** Deletes the records within the root passing the whole filter. Returns their number. */
  forget(filter: ForgetFilter): Promise<number>;
  /** Returns the paths directly below. */
  listScopes(path?: string): Promise<readonly string[]>;
  /** Returns a page of records, newest first. */
  listRecords(options?: ListRecordsOptions): Promise<RecordPage>;
  info(path?: string): Promise<ScopeInfo>;
  /** Returns the number of records for each category. */
  listCategories(path?: string): Promise<Readonly<Record<string, number>>>;
  /** Returns the paths as indented lines with their record counts, at most 20 below each. */
  tree(path?: string, maxDepth?: number): Promise<string>;
  /** Deletes all records at a path and below it; without a path, all within the root. */
  reset(scope?: string): Promise<void>;
}
