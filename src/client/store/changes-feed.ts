// What has changed among all runs: one connection of a client for all its lists.
//
//   CHF1. Every change comes once, in order, also over lost connections. After a reset a list is to be read again.
//   CHF2. A Worker without `GET /changes` is looked at every few seconds, while somebody listens.
//   CHF3. The connection is there only while somebody listens.
import { sleep } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { RunSummary } from "../../runtime/run-directory.ts";
import { serverSentEvents } from "../event-source.ts";
import { mayRetry } from "../backoff.ts";
import type { Transport } from "../transport.ts";

/** `look`: something may have changed, and nobody can say what. */
export type Change =
  | { readonly type: "run"; readonly run: RunSummary }
  | { readonly type: "gone"; readonly id: string }
  | { readonly type: "look" };

type ChangedRun = RunSummary & { readonly change: number; readonly gone?: undefined };
type GoneRun = { readonly id: string; readonly change: number; readonly gone: true };

/** A page of changes, for those who cannot read streams. */
type ChangePage = {
  readonly items: readonly (ChangedRun | GoneRun)[];
  readonly next: number;
  readonly reset?: boolean;
};

const LOOK_MS = 5_000;
const POLL_SECONDS = 20;

export class ChangesFeed {
  readonly #transport: Transport;
  readonly #listeners = new Set<(change: Change) => void>();
  #following: AbortController | undefined;
  #position: number | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Calls `listener` with every change from now on, until the returned function is called. */
  listen(listener: (change: Change) => void): () => void {
    const call = (change: Change): void => listener(change);
    this.#listeners.add(call);
    if (this.#following === undefined) {
      this.#following = new AbortController();
      void this.#follow(this.#following.signal);
    }
    return () => {
      if (!this.#listeners.delete(call) || this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
      this.#position = undefined;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let pauseMs = LOOK_MS;
      try {
        const known = this.#position;
        pauseMs = await this.#hear(signal);
        if (this.#position !== known) failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (isMissing(error)) {
          this.#tell({ type: "look" });
        } else {
          failures++;
          pauseMs = mayRetry(error) ? this.#transport.pauseAfter(error, failures) : LOOK_MS * 6;
        }
      }
      await sleep(this.#transport.clock, pauseMs, signal).catch(() => undefined);
    }
  }

  /** Passes on what one connection says; how long to wait before the next. */
  async #hear(signal: AbortSignal): Promise<number> {
    if (!this.#transport.canStream) return this.#page(signal);
    const response = await this.#transport.send("/changes", {
      headers: { accept: "text/event-stream" },
      query: { after: this.#position },
      signal,
      attempts: 1,
      isSlow: true,
    });
    if (!isStream(response)) {
      this.#transport.canStream = false;
      return this.#page(signal);
    }
    const { messages, retryMs } = serverSentEvents(response.body, this.#transport.clock, signal);
    for await (const { event, data, id } of messages) {
      if (signal.aborted) return 0;
      const value = JSON.parse(data) as ChangedRun;
      if (event === "reset" || (event === "position" && this.#position === undefined))
        this.#tell({ type: "look" }); // what came before is not known here
      else if (event === "gone") this.#tell({ type: "gone", id: value.id });
      else if (event === "run") this.#tell({ type: "run", run: value });
      const at = Number(id ?? value.change);
      if (Number.isFinite(at)) this.#position = at;
    }
    return retryMs() ?? 1_000;
  }

  /** One page of changes, held back by the server until there are some. */
  async #page(signal: AbortSignal): Promise<number> {
    const { items, next, reset } = await this.#transport.json<ChangePage>("/changes", {
      // The first page only says where to begin.
      headers: this.#position === undefined ? {} : { prefer: `wait=${POLL_SECONDS}` },
      query: { after: this.#position },
      signal,
      attempts: 1,
      isSlow: true,
    });
    if (reset === true || this.#position === undefined) this.#tell({ type: "look" });
    else
      for (const item of items)
        this.#tell(item.gone ? { type: "gone", id: item.id } : { type: "run", run: item });
    this.#position = next;
    return 0;
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** False where a body cannot be read while it comes, as in React Native. */
function isStream(
  response: Response,
): response is Response & { readonly body: ReadableStream<Uint8Array> } {
  const { body } = response as { readonly body?: { readonly getReader?: unknown } | null };
  return typeof body?.getReader === "function";
}

/** True where the Worker has no such route. */
function isMissing(error: unknown): boolean {
  return EngineError.is(error) && (error.code === "not_found" || error.code === "not_configured");
}
