// Memory: saves, recalls, changes and forgets records within its root.
//
//   MB1. The root is a hard boundary, like tenant, source and privacy. No path, filter or model reaches beyond it.
import { EngineError } from "../base/error.ts";
import { log } from "../base/log.ts";
import { askExtraction } from "./analysis.ts";
import {
  findRecord,
  forgetEverything,
  forgetRecords,
  rebuildIndex,
  updateRecord,
} from "./change-records.ts";
import {
  checkChanges,
  checkContent,
  checkContents,
  checkForget,
  checkLimit,
  checkRecall,
  checkRemember,
  pathWithin,
  rootFor,
} from "./checks.ts";
import { memoryCalls, MemoryCalls } from "./memory-calls.ts";
import type { MemoryOptions } from "./memory-options.ts";
import type { MemoryPrompts } from "./memory-prompts.ts";
import { MemoryMatch, type MemoryRecord, type ScopeInfo } from "./memory-record.ts";
import type { RecordFilter, RecordPage, ScopeViewer } from "./memory-records.ts";
import { MemoryScope } from "./memory-scope.ts";
import { memorySession } from "./memory-session.ts";
import { MemorySlice, type MemorySliceOptions } from "./memory-slice.ts";
import type {
  ForgetFilter,
  ListRecordsOptions,
  MemoryPlace,
  MemorySession,
  RecallOptions,
  RecordChanges,
  RememberOptions,
} from "./memory-view.ts";
import { MEMORY_LIMITS } from "./memory-work.ts";
import { memoryOwner } from "./person-scope.ts";
import { reportedRecall, reportedSave, type SaveReport } from "./reported-calls.ts";
import type { RootedMemory } from "./rooted-memory.ts";
import type { SaveOutcome } from "./save-memories.ts";
import { scopeNodes, scopeTree, type ScopeNode } from "./scope-tree.ts";

const DEFAULT_RECALL_LIMIT = 10;
const DEFAULT_PAGE = 200;

/**
 * Long-term memory of agents across runs. A model classifies saved texts, and recalls rank by meaning, recency and
 * importance.
 *
 * In a run every call is journaled. Outside of a deployment, a memory without `storage` lasts as long as this object.
 */
export class Memory implements RootedMemory {
  readonly kind = "memory";
  readonly #calls: MemoryCalls;

  /** Fails with `invalid_definition` for invalid options. */
  constructor(options: MemoryOptions | MemoryCalls = {}) {
    this.#calls = options instanceof MemoryCalls ? options : memoryCalls(options);
  }

  get readOnly(): boolean {
    return this.#calls.settings.readOnly;
  }

  get rootScope(): string | undefined {
    return this.#calls.settings.rootScope;
  }

  get defaultScope(): undefined {
    return undefined;
  }

  get prompts(): MemoryPrompts {
    return this.#calls.settings.prompts;
  }

  inRun(place: MemoryPlace): Memory {
    return new Memory(this.#calls.at(place));
  }

  openSession(): MemorySession {
    return memorySession(this);
  }

  /** Returns this memory with another root, which lies within the current one. */
  rootedAt(path: string): Memory {
    return new Memory(this.#calls.with({ rootScope: pathWithin(this.rootScope, path) }));
  }

  /** Returns a view of a path and the paths below it. */
  scope(path: string): MemoryScope {
    return new MemoryScope(this, path);
  }

  /**
   * Returns the memory of one person across runs, crews, flows and conversations: its records are private to it. Fails
   * with `invalid_input` for an invalid id.
   */
  person(id: string): MemoryScope {
    const { scope, source } = memoryOwner(id);
    return new MemoryScope(this, scope, source);
  }

  /** Returns a view of several paths with a joint recall. */
  slice(options: MemorySliceOptions): MemorySlice {
    return new MemorySlice(this, options);
  }

  /**
   * Saves one text. Returns its record, or the record it was merged into; null if the memory is read-only.
   * Fails with `invalid_input` for a blank text, and with `embedding_mismatch` if another model made the existing
   * vectors.
   */
  async remember(content: string, options: RememberOptions = {}): Promise<MemoryRecord | null> {
    const text = checkContent(content, "content");
    if (this.readOnly) return null;
    const { first } = await this.#calls.inTurn(() => this.#save([text], options, { value: text }));
    return first;
  }

  /** Saves like `rememberMany`, but waits. Returns the ids of created, changed and deleted records. */
  async rememberAll(
    contents: readonly string[],
    options: RememberOptions = {},
  ): Promise<readonly string[]> {
    const texts = checkContents(contents, "contents");
    if (this.readOnly || texts.length === 0) return [];
    const value = countOf(texts);
    const { saved } = await this.#calls.inTurn(() => this.#save(texts, options, { value }));
    return saved;
  }

  /** Saves several texts with shared options, at most 1000. Starts at once; `drainWrites` and `recall` wait for it. */
  async rememberMany(
    contents: readonly string[],
    options: RememberOptions = {},
  ): Promise<readonly []> {
    const texts = checkContents(contents, "contents");
    checkRemember(options);
    rootFor(this.rootScope, options.rootScope);
    if (this.readOnly || texts.length === 0) return [];
    const { isInBackground, isInRun } = this.#calls;
    const count = countOf(texts);
    const value = isInBackground ? `${count} (background)` : count;
    const saving = this.#calls
      .inTurn(() => this.#save(texts, options, { value, saved: `${count} saved` }))
      .catch((error: unknown) => {
        if (!isInRun) log("background_failed", { part: "memory" }, error); // in a run an event reports it
      });
    if (!isInBackground) await saving;
    return [];
  }

  async recall(query: string, options: RecallOptions = {}): Promise<readonly MemoryMatch[]> {
    checkRecall(query, options);
    const { limit = DEFAULT_RECALL_LIMIT, categories, source } = options;
    const request = {
      query: query.trim().toWellFormed(),
      scope: pathWithin(this.rootScope, options.scope),
      categories: categories === undefined || categories.length === 0 ? undefined : categories,
      limit,
      isDeep: (options.depth ?? "deep") === "deep",
      source,
      includePrivate: options.includePrivate ?? false,
      hybrid: options.hybrid ?? this.#calls.settings.hybrid,
      minScore: options.minScore,
    };
    if (request.query === "") return [];
    await this.drainWrites();
    const matches = await this.#calls.call("recall", (work) => reportedRecall(work, request));
    return matches.map((match) => new MemoryMatch(match));
  }

  async extractMemories(content: string): Promise<readonly string[]> {
    const text = content.trim().toWellFormed();
    if (text === "") return [];
    return this.#calls.call(
      "extract",
      async (work) => (await askExtraction(work, text)) ?? partsOf(text),
    );
  }

  /** Returns the record if it is within the root. */
  async get(id: string): Promise<MemoryRecord | undefined> {
    const found = await this.#calls.call("get", (work) =>
      work.steps.step("record", async () => (await findRecord(work, id)) ?? null),
    );
    return found ?? undefined;
  }

  /** Deletes the records within the root passing the whole filter. Returns their number. */
  async forget(filter: ForgetFilter): Promise<number> {
    checkForget(filter);
    const { categories, olderThan, metadata, recordIds } = filter;
    return this.#forget("forget", {
      scope: pathWithin(this.rootScope, filter.scope),
      categories,
      metadata,
      ids: recordIds,
      beforeMs: olderThan?.getTime(),
    });
  }

  /** Changes a record. Fails with `not_found` if it is not within the root. */
  async update(id: string, changes: RecordChanges): Promise<MemoryRecord> {
    const checked = checkChanges(changes);
    const { scope } = checked;
    const fields =
      scope === undefined ? checked : { ...checked, scope: pathWithin(this.rootScope, scope) };
    if (this.readOnly) throw readOnly("update");
    return this.#calls.call("update", (work) => updateRecord(work, id, fields));
  }

  /** Returns the paths directly below. */
  async listScopes(path?: string, viewer: ScopeViewer = {}): Promise<readonly string[]> {
    return (await this.info(path, viewer)).childScopes;
  }

  /** Returns a page of records, newest first. */
  async listRecords({
    scope,
    limit = DEFAULT_PAGE,
    cursor,
  }: ListRecordsOptions = {}): Promise<RecordPage> {
    checkLimit(limit, MEMORY_LIMITS.maxContents);
    const filter = { scope: pathWithin(this.rootScope, scope) };
    return this.#calls.read("list", ({ records }) => records.list(filter, { limit, cursor }));
  }

  /** Counts the records visible to a viewer. @default all of them */
  async info(path?: string, viewer: ScopeViewer = {}): Promise<ScopeInfo> {
    const scope = pathWithin(this.rootScope, path);
    return this.#calls.read("info", ({ records }) => records.info(scope, viewer));
  }

  /** Returns the number of records for each category. */
  async listCategories(
    path?: string,
    viewer: ScopeViewer = {},
  ): Promise<Readonly<Record<string, number>>> {
    const scope = pathWithin(this.rootScope, path);
    return this.#calls.read("categories", ({ records }) => records.categories(scope, viewer));
  }

  /** Returns the paths as indented lines with their record counts, at most 20 below each. */
  async tree(path?: string, maxDepth = 3, viewer: ScopeViewer = {}): Promise<string> {
    checkLimit(maxDepth, 16);
    const { scope, scopes } = await this.#scopesIn(path, viewer);
    return scopeTree(scope, scopes, maxDepth);
  }

  /** Returns the paths as data, at most 500. */
  async treeNodes(path?: string, maxDepth = 3, viewer: ScopeViewer = {}): Promise<ScopeNode> {
    checkLimit(maxDepth, 16);
    const { scope, scopes } = await this.#scopesIn(path, viewer);
    return scopeNodes(scope, scopes, maxDepth);
  }

  async #scopesIn(path: string | undefined, viewer: ScopeViewer) {
    const scope = pathWithin(this.rootScope, path);
    const scopes = await this.#calls.read("tree", ({ records }) =>
      records.scopes(scope, MEMORY_LIMITS.maxContents, viewer),
    );
    return { scope, scopes };
  }

  /** Deletes all records at a path and below it; without a path, all within the root. */
  async reset(scope?: string): Promise<void> {
    await this.drainWrites();
    await this.#forget("reset", { scope: pathWithin(this.rootScope, scope) });
  }

  /** Deletes all records, also beyond the root, and the name of the model used for the vectors. */
  async resetAll(): Promise<void> {
    if (this.readOnly) throw readOnly("resetAll");
    await this.drainWrites();
    await this.#calls.call("reset-all", forgetEverything);
  }

  async clear(): Promise<void> {
    if (this.readOnly)
      throw new EngineError(
        "conflict",
        "this memory is read-only: reset the writable memory it belongs to",
      );
    await (this.rootScope === undefined ? this.resetAll() : this.reset());
  }

  /**
   * Makes missing vectors, at most `limit`; with `all`, makes the vectors of every record, as needed after a change of
   * embedder. Returns the number of vectors made.
   */
  async reindex({ all = false, limit = Number.POSITIVE_INFINITY } = {}): Promise<number> {
    return this.#calls.call("reindex", (work) => rebuildIndex(work, { all, limit }));
  }

  drainWrites(): Promise<void> {
    return this.#calls.drain();
  }

  /** Waits for pending saves, like `drainWrites`. There are no other resources to close. */
  close(): Promise<void> {
    return this.drainWrites();
  }

  async #save(
    contents: readonly string[],
    options: RememberOptions,
    said: Pick<SaveReport, "value" | "saved">,
  ): Promise<SaveOutcome> {
    const checked = checkRemember(options);
    const root = rootFor(this.rootScope, options.rootScope);
    if (checked.scope !== undefined) pathWithin(root, checked.scope);
    const metadata = options.metadata === undefined ? undefined : checked.metadata;
    const report = { ...said, metadata, agentRole: options.agentRole };
    return this.#calls.call("save", (work) =>
      reportedSave(work, { ...checked, contents, root }, report),
    );
  }

  async #forget(name: string, filter: RecordFilter): Promise<number> {
    if (this.readOnly) throw readOnly(name);
    return this.#calls.call(name, (work) => forgetRecords(work, filter));
  }
}

function countOf(texts: readonly string[]): string {
  return texts.length === 1 ? "1 memory" : `${texts.length} memories`;
}

/** Splits a text without extracted statements into pieces of storable length. */
function partsOf(text: string): readonly string[] {
  const { maxContentLength } = MEMORY_LIMITS;
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += maxContentLength)
    parts.push(text.slice(start, start + maxContentLength).toWellFormed());
  return parts;
}

function readOnly(what: string): EngineError {
  return new EngineError("conflict", `this memory is read-only: ${what} changes it`);
}
