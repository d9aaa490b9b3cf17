import type {
  ChangeMemoryBody,
  ForgetBody,
  MemoryIndexState,
  RecallBody,
  RecalledMemories,
  RecordsQuery,
  SaveBody,
  ViewerQuery,
} from "../memory/operations/schemas.ts";
import type { MemoryRecord, ScopeInfo } from "../memory/memory-record.ts";
import type { ScopeNode } from "../memory/scope-tree.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { RemoteRun } from "./remote-run.ts";
import { startKeyed } from "./start-run.ts";
import { readJson, type Transport } from "./transport.ts";

/**
 * Private memories included in a request. A private memory is visible only to its own source, and one without a source
 * only with `includePrivate`.
 */
export type MemoryViewer = {
  /** Includes the private memories of this source. @default no source */
  readonly source?: string;
  /** Includes private memories of every source. Needs a key with the scope `admin`. @default false */
  readonly includePrivate?: boolean;
  /** The memory of this person, with paths below it. @default the whole memory */
  readonly person?: string;
};

/** Filter of a list of memories, newest first. */
export type ListMemoriesOptions = MemoryViewer &
  Omit<RecordsQuery, keyof ViewerQuery | "categories" | "limit"> & {
    /** Memories with any of these categories. */
    readonly categories?: readonly string[];
    /** 1 to 200. @default 50 */
    readonly limit?: number;
  };

/** Memories of a Worker with `memory`. */
export class MemoryApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Saves one memory. Resolves to undefined if it was forgotten since. */
  async remember(
    content: string,
    options: Omit<SaveBody, "content"> & {
      /** Idempotency key: requests with the same key save once. */
      readonly idempotencyKey?: string;
    } = {},
  ): Promise<MemoryRecord | undefined> {
    const { idempotencyKey: key, ...rest } = options;
    const response = await this.#transport.send("/memory", {
      method: "POST",
      json: { content, ...rest },
      ...(key === undefined ? undefined : { headers: { "idempotency-key": key } }),
    });
    if (response.status === 201) return readJson<MemoryRecord>(response);
    await response.body?.cancel();
    return undefined;
  }

  /** Starts a run to save up to 1,000 memories. Its output is `{ saved }`, the ids of the records. */
  rememberMany(
    items: readonly SaveBody[],
    options: { readonly id?: string } = {},
  ): Promise<RemoteRun> {
    return startKeyed(this.#transport, "/memory", { ...options, json: items });
  }

  recall(query: string, options: Omit<RecallBody, "query"> = {}): Promise<RecalledMemories> {
    return this.#transport.json("/memory/recall", { method: "POST", json: { query, ...options } });
  }

  /** Lists memories, newest first. */
  list({ categories, ...query }: ListMemoriesOptions = {}): Promise<Page<MemoryRecord>> {
    return this.#transport.json("/memory/records", {
      query: { ...query, categories: categories?.join(",") },
    });
  }

  get(id: string, viewer: MemoryViewer = {}): Promise<MemoryRecord> {
    return this.#transport.json(recordPath(id), { query: viewer });
  }

  /** Changes the fields present in `changes`. */
  update(id: string, changes: ChangeMemoryBody, viewer: MemoryViewer = {}): Promise<MemoryRecord> {
    return this.#transport.json(recordPath(id), { method: "PATCH", json: changes, query: viewer });
  }

  async delete(id: string, viewer: MemoryViewer = {}): Promise<void> {
    await this.#transport.send(recordPath(id), { method: "DELETE", query: viewer });
  }

  /** Deletes the memories matching the whole filter. Resolves to their number. */
  async forget(filter: ForgetBody): Promise<number> {
    const request = { method: "POST", json: filter } as const;
    return (await this.#transport.json<{ readonly forgotten: number }>("/memory/forget", request))
      .forgotten;
  }

  /** Lists the scopes directly below a path. */
  async scopes(path?: string, viewer: MemoryViewer = {}): Promise<readonly string[]> {
    const query = { ...viewer, path };
    return (await this.#transport.json<Page<string>>("/memory/scopes", { query })).items;
  }

  /** Returns the scopes as indented lines. */
  async tree(path?: string, depth?: number, viewer: MemoryViewer = {}): Promise<string> {
    const query = { ...viewer, path, depth };
    return (await this.#transport.json<{ readonly tree: string }>("/memory/tree", { query })).tree;
  }

  /** Returns the paths as data, at most 3 deep and 500 of them. */
  async treeNodes(path?: string, depth?: number, viewer: MemoryViewer = {}): Promise<ScopeNode> {
    const query = { ...viewer, path, depth, format: "json" };
    return (await this.#transport.json<{ readonly tree: ScopeNode }>("/memory/tree", { query }))
      .tree;
  }

  info(path?: string, viewer: MemoryViewer = {}): Promise<ScopeInfo> {
    return this.#transport.json("/memory/info", { query: { ...viewer, path } });
  }

  /** Returns the categories with their number of memories. */
  async categories(
    path?: string,
    viewer: MemoryViewer = {},
  ): Promise<Readonly<Record<string, number>>> {
    const answer = await this.#transport.json<{
      readonly categories: Readonly<Record<string, number>>;
    }>("/memory/categories", { query: { ...viewer, path } });
    return answer.categories;
  }

  /** Deletes all memories at a path and below it. */
  async reset(scope: string): Promise<void> {
    await this.#transport.send("/memory/reset", { method: "POST", json: { scope } });
  }

  /** Deletes all memories. */
  async resetAll(): Promise<void> {
    await this.#transport.send("/memory/reset", { method: "POST", json: { all: true } });
  }

  /** Returns the state of the vector index, such as its progress after a change of embedder. */
  index(): Promise<MemoryIndexState> {
    return this.#transport.json("/memory/index");
  }

  /** Starts a run to create missing vectors, or to recreate all of them. */
  reindex(options: { readonly all?: boolean; readonly id?: string } = {}): Promise<RemoteRun> {
    const { id, ...json } = options;
    return startKeyed(this.#transport, "/memory/reindex", { id, json });
  }
}

function recordPath(id: string): string {
  return `/memory/records/${encodeURIComponent(id)}`;
}
