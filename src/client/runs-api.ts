import type { Pruned } from "../http/operations/run-shapes.ts";
import type { PruneBody } from "../http/operations/run-schemas.ts";
import type { Page, RunSummary, WaitQuery, WaitSummary } from "../runtime/run-directory.ts";
import type { PageOptions } from "./page-options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { StartedRunsApi, type ListRunsOptions } from "./started-runs-api.ts";
import type { ChangesFeed } from "./store/changes-feed.ts";
import type { ChangesConnection, RunChange } from "./store/changes-source.ts";
import { createRunList, type RunListStore } from "./store/run-list.ts";
import { createRunStore, type RunStore, type RunStoreOptions } from "./store/run-store.ts";
import type { Transport } from "./transport.ts";

/** Filter of a list of waits. */
export type ListWaitsOptions = PageOptions &
  Partial<Omit<WaitQuery, "tenant" | "cursor" | "limit">>;

export class RunsApi extends StartedRunsApi {
  readonly #transport: Transport;
  readonly #feed: ChangesFeed;

  constructor(transport: Transport, feed: ChangesFeed) {
    super(transport);
    this.#transport = transport;
    this.#feed = feed;
  }

  /** Returns a list of runs, live while it has subscribers. */
  watch(filter: ListRunsOptions = {}): RunListStore {
    const list = (options: ListRunsOptions): Promise<Page<RunSummary>> => this.list(options);
    return createRunList({ list, feed: this.#feed, clock: this.#transport.clock }, filter);
  }

  /**
   * Calls `onChange` with changes of any run, from now on, until the returned function is called. All lists and
   * listeners of a client share one connection.
   */
  changes(
    onChange: (change: RunChange) => void,
    onConnection?: (connection: ChangesConnection) => void,
  ): () => void {
    return this.#feed.listen({ onChange, onConnection });
  }

  /**
   * Returns a run as one value, updated by its events, for pages and other views. Sends no request before the first
   * subscription.
   */
  store(run: string | Pick<RemoteRun, "id">, options: RunStoreOptions = {}): RunStore {
    const handle = this.handle(typeof run === "string" ? run : run.id);
    return createRunStore(handle, this.#transport.clock, options);
  }

  /** Lists the open waits of all runs, by default the oldest question first: the inbox of the people who answer. */
  waits(options: ListWaitsOptions = {}): Promise<Page<WaitSummary>> {
    return this.#transport.json("/waits", { query: { ...options } });
  }

  /** Deletes one batch of old finished runs, oldest first. Needs an admin key. */
  prune(options: PruneBody): Promise<Pruned> {
    return this.#transport.json("/runs/prune", { method: "POST", json: options });
  }

  /** Makes runs write their rows of the list again, at most 100. Needs an admin key. */
  reindex(ids: readonly string[]): Promise<{ readonly reindexed: number }> {
    return this.#transport.json("/admin/reindex", { method: "POST", json: { ids } });
  }
}
