import type { MemoryPrompts } from "./memory-prompts.ts";
import type { MemoryMatch, MemoryRecord, ScopeInfo } from "./memory-record.ts";
import type { RecordPage } from "./memory-records.ts";
import { memorySession } from "./memory-session.ts";
import type {
  ForgetFilter,
  ListRecordsOptions,
  MemoryPlace,
  MemorySession,
  MemoryView,
  RecallOptions,
  RememberOptions,
} from "./memory-view.ts";
import type { RootedMemory } from "./rooted-memory.ts";

/**
 * View of a path of a memory and the paths below it. All paths are relative to it. Texts saved without a scope are
 * saved at the path itself, and no model chooses a scope.
 */
export class MemoryScope implements MemoryView {
  readonly kind = "scope";
  readonly #memory: RootedMemory;
  readonly #source: string | undefined;

  /**
   * `source` is the source of all its records and recalls; its records are private. Fails with `invalid_input` for an
   * invalid path.
   */
  constructor(memory: RootedMemory, path: string, source?: string) {
    this.#memory = memory.rootedAt(path);
    this.#source = source;
  }

  get source(): string | undefined {
    return this.#source;
  }

  get readOnly(): boolean {
    return this.#memory.readOnly;
  }

  get rootScope(): string | undefined {
    return this.#memory.rootScope;
  }

  get defaultScope(): string {
    return "/";
  }

  get prompts(): MemoryPrompts {
    return this.#memory.prompts;
  }

  inRun(place: MemoryPlace): MemoryScope {
    return new MemoryScope(this.#memory.inRun(place), "/", this.#source);
  }

  openSession(): MemorySession {
    return memorySession(this);
  }

  /** Returns the scope at a path below this one. */
  subscope(path: string): MemoryScope {
    return new MemoryScope(this.#memory, path, this.#source);
  }

  remember(content: string, options: RememberOptions = {}): Promise<MemoryRecord | null> {
    return this.#memory.remember(content, this.#saved(options));
  }

  rememberMany(contents: readonly string[], options: RememberOptions = {}): Promise<readonly []> {
    return this.#memory.rememberMany(contents, this.#saved(options));
  }

  recall(query: string, options?: RecallOptions): Promise<readonly MemoryMatch[]> {
    const source = this.#source;
    return this.#memory.recall(query, source === undefined ? options : { ...options, source });
  }

  /** Saves like `rememberMany`, but waits. Returns the ids of created, changed and deleted records. */
  rememberAll(
    contents: readonly string[],
    options: RememberOptions = {},
  ): Promise<readonly string[]> {
    return this.#memory.rememberAll(contents, this.#saved(options));
  }

  extractMemories(content: string): Promise<readonly string[]> {
    return this.#memory.extractMemories(content);
  }

  forget(filter: ForgetFilter): Promise<number> {
    return this.#memory.forget(filter);
  }

  listScopes(path?: string): Promise<readonly string[]> {
    return this.#memory.listScopes(path);
  }

  listRecords(options?: ListRecordsOptions): Promise<RecordPage> {
    return this.#memory.listRecords(options);
  }

  info(path?: string): Promise<ScopeInfo> {
    return this.#memory.info(path);
  }

  tree(path?: string, maxDepth?: number): Promise<string> {
    return this.#memory.tree(path, maxDepth);
  }

  listCategories(path?: string): Promise<Readonly<Record<string, number>>> {
    return this.#memory.listCategories(path);
  }

  reset(path?: string): Promise<void> {
    return this.#memory.reset(path);
  }

  clear(): Promise<void> {
    return this.#memory.clear();
  }

  drainWrites(): Promise<void> {
    return this.#memory.drainWrites();
  }

  #saved(options: RememberOptions): RememberOptions {
    const scope = options.scope ?? "/";
    const source = this.#source;
    return source === undefined
      ? { ...options, scope }
      : { ...options, scope, source, private: true };
  }
}
