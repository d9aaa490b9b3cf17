import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { checkScopePath, isInScope, joinScopePaths } from "./memory-path.ts";
import type { MemoryPrompts } from "./memory-prompts.ts";
import type { MemoryMatch, MemoryRecord, ScopeInfo } from "./memory-record.ts";
import { memorySession } from "./memory-session.ts";
import type {
  MemoryPlace,
  MemorySession,
  MemoryView,
  RecallOptions,
  RememberOptions,
} from "./memory-view.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";
import type { RootedMemory } from "./rooted-memory.ts";

/** Scopes and limits of a slice. */
export type MemorySliceOptions = {
  /** Paths to recall from, each including the paths below it. At least one. */
  readonly scopes: readonly string[];
  /** Recalled records have any of these categories, unless the call names others. */
  readonly categories?: readonly string[];
  /** @default true */
  readonly readOnly?: boolean;
};

const MAX_SCOPES = 20;
const DEFAULT_LIMIT = 10;

/**
 * Several paths of a memory with a joint recall. A writable slice saves at the scope of the call, else at its first
 * path.
 */
export class MemorySlice implements MemoryView {
  readonly kind = "slice";
  readonly scopes: readonly string[];
  readonly categories: readonly string[] | undefined;
  readonly readOnly: boolean;
  readonly #memory: RootedMemory;

  /** Fails with `invalid_definition` for a slice without scopes, and with `invalid_input` for an invalid path. */
  constructor(memory: RootedMemory, { scopes, categories, readOnly = true }: MemorySliceOptions) {
    if (!Array.isArray(scopes) || scopes.length === 0 || scopes.length > MAX_SCOPES)
      throw new EngineError(
        "invalid_definition",
        `slice.scopes must be a list of 1 to ${MAX_SCOPES} paths, got ${preview(scopes)}`,
      );
    this.scopes = [...new Set(scopes.map((scope) => checkScopePath(scope, "slice.scopes")))];
    this.categories = categories;
    this.readOnly = readOnly || memory.readOnly;
    this.#memory = memory;
  }

  get rootScope(): undefined {
    return undefined;
  }

  get defaultScope(): string | undefined {
    return this.scopes[0];
  }

  get prompts(): MemoryPrompts {
    return this.#memory.prompts;
  }

  inRun(place: MemoryPlace): MemorySlice {
    const { scopes, categories, readOnly } = this;
    const options = { scopes, readOnly, ...(categories === undefined ? {} : { categories }) };
    return new MemorySlice(this.#memory.inRun(place), options);
  }

  /**
   * Returns the best matches of all its paths. A scope in the call narrows the search and must lie within one of the
   * paths.
   */
  async recall(query: string, options: RecallOptions = {}): Promise<readonly MemoryMatch[]> {
    const { limit = DEFAULT_LIMIT, categories = this.categories } = options;
    const wanted = Math.min(2 * limit, MEMORY_LIMITS.maxRecallLimit);
    const scopes = options.scope === undefined ? this.scopes : [this.#own(options.scope)];
    const found = await Promise.all(
      scopes.map((scope) =>
        this.#memory.recall(query, { ...options, scope, categories, limit: wanted }),
      ),
    );
    const best = new Map<string, MemoryMatch>();
    for (const match of found.flat()) {
      const known = best.get(match.record.id);
      if (known === undefined || known.score < match.score) best.set(match.record.id, match);
    }
    return [...best.values()].toSorted((one, other) => other.score - one.score).slice(0, limit);
  }

  async remember(content: string, options: RememberOptions = {}): Promise<MemoryRecord | null> {
    if (this.readOnly) return null;
    const scope = this.#own(options.scope ?? this.scopes[0] ?? "/");
    return this.#memory.remember(content, { ...options, rootScope: undefined, scope });
  }

  async rememberMany(
    contents: readonly string[],
    options: RememberOptions = {},
  ): Promise<readonly []> {
    if (this.readOnly) return [];
    const scope = this.#own(options.scope ?? this.scopes[0] ?? "/");
    return this.#memory.rememberMany(contents, { ...options, rootScope: undefined, scope });
  }

  /** Returns the sums over all its paths; `childScopes` are the paths themselves. */
  async info(): Promise<ScopeInfo> {
    const infos = await Promise.all(this.#outermost().map((scope) => this.#memory.info(scope)));
    const oldest = infos.flatMap(({ oldestRecord = [] }) => oldestRecord).toSorted()[0];
    const newest = infos
      .flatMap(({ newestRecord = [] }) => newestRecord)
      .toSorted()
      .at(-1);
    return {
      path: "/",
      recordCount: infos.reduce((sum, { recordCount }) => sum + recordCount, 0),
      categories: [...new Set(infos.flatMap(({ categories }) => categories))].toSorted(),
      childScopes: this.scopes.toSorted(),
      ...(oldest === undefined ? {} : { oldestRecord: oldest }),
      ...(newest === undefined ? {} : { newestRecord: newest }),
    };
  }

  /** Returns the number of records of its paths by category. */
  async listCategories(): Promise<Readonly<Record<string, number>>> {
    const all = await Promise.all(
      this.#outermost().map((scope) => this.#memory.listCategories(scope)),
    );
    const sums = new Map<string, number>();
    for (const [name, count] of all.flatMap((each) => Object.entries(each)))
      sums.set(name, (sums.get(name) ?? 0) + count);
    return Object.fromEntries(sums);
  }

  /** Returns the paths directly below its own. */
  async listScopes(): Promise<readonly string[]> {
    const all = await Promise.all(this.scopes.map((scope) => this.#memory.listScopes(scope)));
    return [...new Set(all.flat())].toSorted();
  }

  extractMemories(content: string): Promise<readonly string[]> {
    return this.#memory.extractMemories(content);
  }

  async clear(): Promise<void> {
    throw new EngineError(
      "conflict",
      this.readOnly
        ? "this memory is read-only: reset the writable memory it belongs to"
        : "a slice of a memory cannot be reset: reset its scopes one by one",
    );
  }

  openSession(): MemorySession {
    return memorySession(this);
  }

  drainWrites(): Promise<void> {
    return this.#memory.drainWrites();
  }

  /** Returns its paths without the ones lying within another. */
  #outermost(): readonly string[] {
    return this.scopes.filter(
      (scope) => !this.scopes.some((other) => other !== scope && isInScope(scope, other)),
    );
  }

  /** Returns the path if it is within the slice. */
  #own(scope: string): string {
    const path = joinScopePaths(undefined, checkScopePath(scope, "scope"));
    if (this.scopes.some((own) => isInScope(path, own))) return path;
    throw new EngineError(
      "invalid_input",
      `scope must lie within one of ${this.scopes.join(", ")}, got ${preview(scope)}`,
    );
  }
}
