// A memory: what is saved, recalled, changed and forgotten, within its root.
//
//   UM1. A memory is a value: it describes. What it remembers is in its storage: that of the run's deployment, else the one it was given.
//   UM2. The root is a hard boundary, as tenant, source and privacy are: no path, no filter and no model leads out of it.
//   UM3. In a run every call is one group of steps. Saves of one writer come one after another, and a recall sees all of them.
//   UM4. Background: with `writes` of its place (in a run), or in this process (outside). In a run without them saving is waited for.
import { EngineError, errorMessage } from "../base/error.ts";
import { environmentVariables, logError } from "../base/system.ts";
import { RunScope } from "../events/run-scope.ts";
import { resolveEmbedder } from "../vectors/embedders/resolve-embedder.ts";
import { askExtraction } from "./analysis.ts";
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
import { embedTexts } from "./embed.ts";
import { memoryStorage } from "./in-process-records.ts";
import { dropStale, indexRecords, repairIndex } from "./index-debt.ts";
import type { MemoryModel } from "./memory-model.ts";
import { memorySettings, type MemoryOptions, type MemorySettings } from "./memory-options.ts";
import { isInScope, joinScopePaths } from "./memory-path.ts";
import type { MemoryPrompts } from "./memory-prompts.ts";
import { MemoryMatch, type MatchData, type MemoryRecord, type ScopeInfo } from "./memory-record.ts";
import type { RecordFilter, RecordPage } from "./memory-records.ts";
import { MemoryScope } from "./memory-scope.ts";
import { memoryServiceOf, type MemoryStorage } from "./memory-service.ts";
import { MemorySlice, type MemorySliceOptions } from "./memory-slice.ts";
import { plainSteps, runSteps, type MemoryListener, type MemorySteps } from "./memory-steps.ts";
import type {
  ForgetFilter,
  ListRecordsOptions,
  MemoryPlace,
  MemoryView,
  RecallOptions,
  RecordChanges,
  RememberOptions,
} from "./memory-view.ts";
import { MEMORY_LIMITS, workAt, type MemoryWork } from "./memory-work.ts";
import { MemoryWrites } from "./memory-writes.ts";
import { recallMemories } from "./recall-memories.ts";
import { saveMemories, type SaveOutcome } from "./save-memories.ts";

const COLLECTION = "memory";
const DEFAULT_RECALL_LIMIT = 10;
const DEFAULT_PAGE = 200;
const MAX_CHILDREN = 20;
const REPAIR_PAGE = 100;

/** What whoever makes a memory brings along. */
export type MemoryMaker = {
  readonly ask: MemoryModel;
  /** For agents; see `MemoryView.kit`. */
  readonly kit?: object | undefined;
  /** Hears of what is done outside of runs. */
  readonly hear?: MemoryListener | undefined;
};

/** What a memory is made of, beside its options. */
type Parts = MemoryMaker & {
  readonly storage: MemoryStorage;
  readonly settings: MemorySettings;
  readonly place?: MemoryPlace | undefined;
};

/** One writer for each storage of this process. */
const writers = new WeakMap<object, MemoryWrites>();

export class UnifiedMemory implements MemoryView {
  readonly kind = "memory";
  readonly #parts: Parts;

  /** Throws `invalid_definition` for options that cannot work. */
  constructor(options: MemoryOptions, maker: MemoryMaker, parts?: Parts) {
    this.#parts = parts ?? {
      ...maker,
      settings: memorySettings(options),
      storage: options.storage ?? memoryStorage(),
    };
  }

  get readOnly(): boolean {
    return this.#parts.settings.readOnly;
  }

  get rootScope(): string | undefined {
    return this.#parts.settings.rootScope;
  }

  get defaultScope(): undefined {
    return undefined;
  }

  get prompts(): MemoryPrompts {
    return this.#parts.settings.prompts;
  }

  get kit(): object | undefined {
    return this.#parts.kit;
  }

  /** The same memory at work at a place of a run. */
  inRun(place: MemoryPlace): UnifiedMemory {
    const { settings } = this.#parts;
    const prompts = { ...settings.prompts, ...place.prompts };
    return this.#with({ settings: { ...settings, prompts }, place });
  }

  /** The same memory with another root, which lies within this one's. */
  rootedAt(path: string): UnifiedMemory {
    const rootScope = pathWithin(this.rootScope, path);
    return this.#with({ settings: { ...this.#parts.settings, rootScope } });
  }

  /** What lies at a path and below it, as a memory of its own. */
  scope(path: string): MemoryScope {
    return new MemoryScope(this, path);
  }

  /** Several paths, recalled from at once. */
  slice(options: MemorySliceOptions): MemorySlice {
    return new MemorySlice(this, options);
  }

  /**
   * Saves one thing. Answers its record, or the one that it was made part of; null when the memory is read-only.
   * Throws `invalid_input` for a blank text, and `embedding_mismatch` when the vectors there were made by another model.
   */
  async remember(content: string, options: RememberOptions = {}): Promise<MemoryRecord | null> {
    const contents = [checkContent(content, "content")];
    if (this.readOnly) return null;
    const told = { value: contents[0] ?? "" };
    return this.#writer().add(async () => (await this.#save(contents, options, told)).first);
  }

  /** As `rememberMany`, but waited for: answers the ids of the records that were made, changed and deleted. */
  async rememberAll(
    contents: readonly string[],
    options: RememberOptions = {},
  ): Promise<readonly string[]> {
    const texts = checkContents(contents, "contents");
    if (this.readOnly || texts.length === 0) return [];
    const told = { value: texts.length === 1 ? "1 memory" : `${texts.length} memories` };
    return this.#writer().add(async () => (await this.#save(texts, options, told)).saved);
  }

  /** Saves several things that share the options; at most 1000. Begins at once; `drainWrites` and `recall` wait for it. */
  async rememberMany(
    contents: readonly string[],
    options: RememberOptions = {},
  ): Promise<readonly []> {
    const texts = checkContents(contents, "contents");
    checkRemember(options);
    rootFor(this.rootScope, options.rootScope);
    if (this.readOnly || texts.length === 0) return [];
    const count = texts.length === 1 ? "1 memory" : `${texts.length} memories`;
    const isInBackground = this.#scope() === undefined || this.#parts.place?.writes !== undefined;
    const told = isInBackground ? `${count} (background)` : count;
    const saved = this.#writer()
      .add(() => this.#save(texts, options, { value: told, saved: `${count} saved` }))
      .catch((error: unknown) => {
        if (this.#scope() === undefined) logError(error); // in a run an event has told it
      });
    if (!isInBackground) await saved;
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
      hybrid: options.hybrid ?? this.#parts.settings.hybrid,
    };
    if (request.query === "") return [];
    await this.drainWrites();
    const matches = await this.#work("recall", async (work) => {
      const about = { query: request.query, limit, scope: request.scope };
      const steps = work.steps.open("memory_query_started", about);
      const { clock } = this.#parts.settings;
      const now = (): number => (work.steps.scope?.clock ?? clock).now();
      const startedAtMs = now();
      let found: readonly MatchData[];
      try {
        found = await recallMemories(workAt(work, steps), request);
      } catch (error) {
        steps.emit("memory_query_failed", { ...about, error: errorMessage(error) });
        throw error;
      }
      steps.emit("memory_query_completed", {
        ...about,
        results: found.map(({ record }) => record.id),
        queryTimeMs: now() - startedAtMs,
      });
      return found;
    });
    return matches.map((match) => new MemoryMatch(match));
  }

  async extractMemories(content: string): Promise<readonly string[]> {
    const text = content.trim().toWellFormed();
    if (text === "") return [];
    return this.#work(
      "extract",
      async (work) => (await askExtraction(work, text)) ?? partsOf(text),
    );
  }

  /** The record, if it is within the root. */
  async get(id: string): Promise<MemoryRecord | undefined> {
    return this.#work("get", (work) =>
      work.steps.step("record", async () => (await this.#find(work, id)) ?? null),
    ).then((record) => record ?? undefined);
  }

  /** Deletes what passes all of the filter, within the root; answers how many. */
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

  /** Changes a record. Throws `not_found` for one that is not within the root. */
  async update(id: string, given: RecordChanges): Promise<MemoryRecord> {
    const changes = checkChanges(given);
    const scope =
      changes.scope === undefined ? {} : { scope: pathWithin(this.rootScope, changes.scope) };
    if (this.readOnly) throw readOnly("update");
    return this.#work("update", async (work) => {
      const { steps, records, embedder } = work;
      const found = await steps.step("record", async () => (await this.#find(work, id)) ?? null);
      if (found === null) throw notFound(id);
      const content = changes.content ?? (scope.scope === undefined ? undefined : found.content);
      const texts = content === undefined ? [] : [content];
      const { vectors } = await embedTexts(steps, embedder, { texts, segment: "content" });
      const written = await steps.step("write", async ({ key, nowMs }) => {
        const record = await this.#find(work, id);
        if (record === undefined) return null;
        const lastAccessed = new Date(nowMs).toISOString();
        const changed = { ...record, ...changes, ...scope, lastAccessed };
        const result = await records.apply({ op: key, atMs: nowMs, updates: [changed] });
        return { record: changed, version: result.state === "done" ? result.version : 0 };
      });
      if (written === null) throw notFound(id);
      const [vector] = vectors;
      if (vector !== undefined)
        await steps.step("index", () =>
          indexRecords(work, [{ record: written.record, vector }], written.version).catch(
            () => undefined, // owed to the index, and paid by a later save
          ),
        );
      return written.record;
    });
  }

  /** The paths directly below. */
  async listScopes(path?: string): Promise<readonly string[]> {
    return (await this.info(path)).childScopes;
  }

  /** Newest first, page by page. */
  async listRecords({
    scope,
    limit = DEFAULT_PAGE,
    cursor,
  }: ListRecordsOptions = {}): Promise<RecordPage> {
    checkLimit(limit, MEMORY_LIMITS.maxContents);
    const filter = { scope: pathWithin(this.rootScope, scope) };
    return this.#read("list", (work) => work.records.list(filter, { limit, cursor }));
  }

  async info(path?: string): Promise<ScopeInfo> {
    const scope = pathWithin(this.rootScope, path);
    return this.#read("info", (work) => work.records.info(scope));
  }

  /** How many records have each category. */
  async listCategories(path?: string): Promise<Readonly<Record<string, number>>> {
    const scope = pathWithin(this.rootScope, path);
    return this.#read("categories", (work) => work.records.categories(scope));
  }

  /** The paths as indented lines, each with how many records it holds; at most 20 below each. */
  async tree(path?: string, maxDepth = 3): Promise<string> {
    checkLimit(maxDepth, 16);
    const scope = pathWithin(this.rootScope, path);
    const scopes = await this.#read("tree", (work) =>
      work.records.scopes(scope, MEMORY_LIMITS.maxContents),
    );
    return treeLines(scope, scopes, maxDepth).join("\n");
  }

  /** Forgets everything at a path and below it; without one, within the root. */
  async reset(scope?: string): Promise<void> {
    await this.drainWrites();
    await this.#forget("reset", { scope: pathWithin(this.rootScope, scope) });
  }

  /** Forgets everything, beyond the root too, and which model made the vectors. */
  async resetAll(): Promise<void> {
    if (this.readOnly) throw readOnly("resetAll");
    await this.drainWrites();
    await this.#work("reset-all", (work) =>
      work.steps.step("delete", async ({ key, nowMs }) => {
        await work.records.deleteWhere({}, { op: key, atMs: nowMs });
        await work.vectors.clear();
        await dropStale(work);
      }),
    );
  }

  /**
   * Makes the vectors that records lack, at most `limit`; with `all`, those of every record, as is needed when the embedder has changed.
   * Answers how many it made.
   */
  async reindex({ all = false, limit = Number.POSITIVE_INFINITY } = {}): Promise<number> {
    return this.#work("reindex", async (work) => {
      if (all)
        await work.steps.step("clear", async () => {
          await work.records.unindexAll();
          await work.vectors.clear();
        });
      let made = 0;
      for (let page = 1; made < limit; page++) {
        // oxlint-disable-next-line no-await-in-loop -- page by page
        const count = await work.steps.step(`page:${page}`, ({ signal }) =>
          repairIndex(work, { limit: Math.min(REPAIR_PAGE, limit - made), signal }),
        );
        made += count;
        if (count === 0) break;
      }
      return made;
    });
  }

  async drainWrites(): Promise<void> {
    const { place, storage } = this.#parts;
    await (this.#scope() === undefined ? writers.get(storage.records) : place?.writes)?.drain();
  }

  /** As `drainWrites`: there is nothing else to close. */
  close(): Promise<void> {
    return this.drainWrites();
  }

  #with(parts: Partial<Parts>): UnifiedMemory {
    return new UnifiedMemory({}, this.#parts, { ...this.#parts, ...parts });
  }

  #scope(): RunScope | undefined {
    return this.#parts.place?.scope ?? RunScope.current();
  }

  /** Whose turn it is to save. Branches of a run that have no writer are put in order by what they write (SV8). */
  #writer(): MemoryWrites {
    if (this.#scope() !== undefined) return this.#parts.place?.writes ?? new MemoryWrites();
    const { records } = this.#parts.storage;
    let writer = writers.get(records);
    if (writer === undefined) writers.set(records, (writer = new MemoryWrites()));
    return writer;
  }

  /** Does one call: in a run as a group of steps at its place. */
  #work<T>(name: string, run: (work: MemoryWork) => Promise<T>): Promise<T> {
    const { settings, ask, place, hear } = this.#parts;
    const scope = this.#scope();
    const service = memoryServiceOf(scope);
    const storage = service ?? this.#parts.storage;
    const embedder =
      service?.embedder?.(settings.embedder) ??
      resolveEmbedder(settings.embedder, {
        variables: scope?.services.variables ?? environmentVariables(),
      });
    const steps: MemorySteps =
      scope === undefined ? plainSteps(settings.clock, hear) : runSteps(scope);
    return steps.whole(`memory-${name}`, (inside) =>
      run({
        settings,
        embedder,
        records: storage.records,
        vectors: storage.vectors.open({
          tenant: storage.tenant,
          collection: COLLECTION,
          model: embedder.model,
        }),
        steps: inside,
        ask: (at, question) =>
          (place?.model ?? ask)(question, { place: at.scope, llm: settings.llm }),
      }),
    );
  }

  #read<T>(name: string, read: (work: MemoryWork) => Promise<T>): Promise<T> {
    return this.#work(name, (work) => work.steps.step("read", () => read(work)));
  }

  async #find({ records }: MemoryWork, id: string): Promise<MemoryRecord | undefined> {
    const [record] = await records.get([id]);
    return record !== undefined && isInScope(record.scope, this.rootScope ?? "/")
      ? record
      : undefined;
  }

  async #save(
    contents: readonly string[],
    options: RememberOptions,
    told: { readonly value: string; readonly saved?: string },
  ): Promise<SaveOutcome> {
    const checked = checkRemember(options);
    const root = rootFor(this.rootScope, options.rootScope);
    if (checked.scope !== undefined) pathWithin(root, checked.scope);
    const { agentRole, metadata } = options;
    const about = {
      value: told.value,
      ...(metadata === undefined ? undefined : { metadata: checked.metadata }),
      ...(agentRole === undefined ? undefined : { agentRole }),
    };
    return this.#work("save", async (work) => {
      const steps = work.steps.open("memory_save_started", about);
      const { clock } = this.#parts.settings;
      const now = (): number => (work.steps.scope?.clock ?? clock).now();
      const startedAtMs = now();
      let outcome: SaveOutcome;
      try {
        outcome = await saveMemories(workAt(work, steps), { ...checked, contents, root });
      } catch (error) {
        steps.emit("memory_save_failed", { ...about, error: errorMessage(error) });
        throw error;
      }
      const { saved, degraded } = outcome;
      if (degraded !== undefined)
        steps.emit("memory_index_degraded", { reason: degraded, missing: saved.length });
      steps.emit("memory_save_completed", {
        ...about,
        value: told.saved ?? told.value,
        saveTimeMs: now() - startedAtMs,
        saved,
      });
      return outcome;
    });
  }

  async #forget(name: string, filter: RecordFilter): Promise<number> {
    if (this.readOnly) throw readOnly(name);
    return this.#work(name, async (work) => {
      const count = await work.steps.step("delete", ({ key, nowMs }) =>
        work.records.deleteWhere(filter, { op: key, atMs: nowMs }),
      );
      if (count > 0) await work.steps.step("index", () => dropStale(work).catch(() => undefined)); // still owed
      return count;
    });
  }
}

/** A text that no model took apart, in pieces that can be stored. */
function partsOf(text: string): readonly string[] {
  const { maxContentLength } = MEMORY_LIMITS;
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += maxContentLength)
    parts.push(text.slice(start, start + maxContentLength).toWellFormed());
  return parts;
}

function treeLines(
  root: string,
  scopes: ReadonlyArray<{ readonly scope: string; readonly count: number }>,
  maxDepth: number,
): readonly string[] {
  const totals = new Map<string, number>([[root, 0]]);
  const children = new Map<string, Set<string>>();
  for (const { scope, count } of scopes) {
    for (let path = scope; ;) {
      totals.set(path, (totals.get(path) ?? 0) + count);
      if (path === root) break;
      const parent = parentOf(path);
      const siblings = children.get(parent) ?? new Set();
      children.set(parent, siblings.add(path));
      path = parent;
    }
  }
  const lines: string[] = [];
  const add = (path: string, depth: number): void => {
    lines.push(`${"  ".repeat(depth)}${path} (${totals.get(path) ?? 0} records)`);
    if (depth >= maxDepth) return;
    for (const child of [...(children.get(path) ?? [])].toSorted().slice(0, MAX_CHILDREN))
      add(child, depth + 1);
  };
  add(root, 0);
  return lines;
}

function parentOf(path: string): string {
  return joinScopePaths(path.slice(0, path.lastIndexOf("/")), undefined);
}

function notFound(id: string): EngineError {
  return new EngineError("not_found", `there is no memory "${id}"`);
}

function readOnly(what: string): EngineError {
  return new EngineError("conflict", `this memory is read-only: ${what} changes it`);
}
