// Changes of all runs, over one connection of the client for all its lists.
//
//   CHX1. The connection exists only while there are listeners.
//   CHX2. A new listener receives the connection's state at once, and every change of it.
import type { ChangesConnection, ChangesSource, RunChange } from "./changes-source.ts";

/** Callbacks of a listener. */
export type ChangesListener = {
  readonly onChange: (change: RunChange) => void;
  readonly onConnection?: ((connection: ChangesConnection) => void) | undefined;
};

export class ChangesFeed {
  readonly #source: ChangesSource;
  readonly #listeners = new Set<ChangesListener>();
  #listening: AbortController | undefined;
  #connection: ChangesConnection = { state: "connecting" };

  constructor(source: ChangesSource) {
    this.#source = source;
  }

  /** Calls the listener for every change from now on, until the returned function is called. */
  listen(listener: ChangesListener): () => void {
    const each = { ...listener }; // one object may be registered several times
    this.#listeners.add(each);
    each.onConnection?.(this.#connection);
    this.#listening ??= this.#start();
    return () => {
      if (!this.#listeners.delete(each) || this.#listeners.size > 0) return;
      this.#listening?.abort();
      this.#listening = undefined;
      this.#connection = { state: "connecting" };
    };
  }

  #start(): AbortController {
    const listening = new AbortController();
    const { signal } = listening;
    void this.#source((news) => {
      if (signal.aborted) return;
      if ("connection" in news) this.#connection = news.connection;
      for (const { onChange, onConnection } of this.#listeners)
        if ("change" in news) onChange(news.change);
        else onConnection?.(news.connection);
    }, signal);
    return listening;
  }
}
