import type { Page, WaitSummary } from "../runtime/run-directory.ts";
import type { RunsApi } from "./runs-api.ts";
import { createWaitList, type WaitListStore, type ListWaitsOptions } from "./store/wait-list.ts";
import type { ChangesFeed } from "./store/changes-feed.ts";
import type { Transport } from "./transport.ts";

/** Open waits of all runs: the inbox of the people who answer. */
export class WaitsApi {
  readonly #transport: Transport;
  readonly #runs: RunsApi;
  readonly #feed: ChangesFeed;

  constructor(transport: Transport, runs: RunsApi, feed: ChangesFeed) {
    this.#transport = transport;
    this.#runs = runs;
    this.#feed = feed;
  }

  list(options: ListWaitsOptions = {}): Promise<Page<WaitSummary>> {
    return this.#transport.json("/waits", { query: { ...options } });
  }

  /** Returns a list of waits, live while it has subscribers. */
  watch(filter: ListWaitsOptions = {}): WaitListStore {
    return createWaitList(
      {
        list: (options) => this.list(options),
        handle: (id) => this.#runs.handle(id),
        feed: this.#feed,
        clock: this.#transport.clock,
      },
      filter,
    );
  }
}
