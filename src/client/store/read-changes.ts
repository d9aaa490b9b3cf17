// Changes of all runs, read from a Worker.
//
//   CHF1. Every change comes once, in order, despite lost connections. After a reset, lists must be read again.
//   CHF2. A Worker without `GET /changes` is polled every few seconds.
import { EngineError } from "../../base/error.ts";
import type { RunSummary } from "../../runtime/run-directory.ts";
import { mayReconnect } from "../backoff.ts";
import { begunAnswer } from "../begun-answer.ts";
import { serverSentEvents, streamOf } from "../event-source.ts";
import type { Transport } from "../transport.ts";
import type { ChangesConnection, ChangesSource, ChangesNews, RunChange } from "./changes-source.ts";

type ChangedRun = RunSummary & { readonly change: number; readonly gone?: undefined };
type GoneRun = { readonly id: string; readonly change: number; readonly gone: true };

/** A page of changes, for platforms without readable streams. */
type ChangePage = {
  readonly items: readonly (ChangedRun | GoneRun)[];
  readonly next: number;
  readonly reset?: boolean;
};

const LOOK_MS = 5_000;
const POLL_SECONDS = 20;

export function readChanges(transport: Transport): ChangesSource {
  return (tell, signal) => new ChangesReader(transport, tell, signal).read();
}

class ChangesReader {
  readonly #transport: Transport;
  readonly #tell: (news: ChangesNews) => void;
  readonly #signal: AbortSignal;
  #position: number | undefined;

  constructor(transport: Transport, tell: (news: ChangesNews) => void, signal: AbortSignal) {
    this.#transport = transport;
    this.#tell = tell;
    this.#signal = signal;
  }

  async read(): Promise<void> {
    let failures = 0;
    this.#is("connecting");
    while (!this.#signal.aborted) {
      let pauseMs = LOOK_MS;
      try {
        const known = this.#position;
        pauseMs = await this.#connect();
        if (this.#position !== known) failures = 0;
      } catch (error) {
        if (this.#signal.aborted) return;
        if (isMissing(error)) {
          this.#is("polling");
          this.#change({ type: "look" });
        } else {
          failures++;
          pauseMs = mayReconnect(error) ? this.#transport.pauseAfter(error, failures) : LOOK_MS * 6;
          this.#is("retrying", pauseMs);
        }
      }
      if (pauseMs > 0) await this.#transport.pauses.pause(undefined, pauseMs, this.#signal);
    }
  }

  /** Passes on the changes of one connection. Resolves to the pause before the next, in milliseconds. */
  async #connect(): Promise<number> {
    if (!this.#transport.canStream) return this.#page();
    const response = await begunAnswer(this.#transport, "/changes", {
      headers: { accept: "text/event-stream" },
      query: { after: this.#position },
      signal: this.#signal,
    });
    const body = streamOf(response);
    if (body === undefined) {
      this.#transport.canStream = false;
      return this.#page();
    }
    this.#is("live");
    const { messages, retryMs } = serverSentEvents(body, this.#transport.clock, this.#signal);
    for await (const { event, data, id } of messages) {
      if (this.#signal.aborted) return 0;
      const value = JSON.parse(data) as ChangedRun;
      if (event === "reset" || (event === "position" && this.#position === undefined))
        this.#change({ type: "look" }); // earlier changes are unknown
      else if (event === "gone") this.#change({ type: "gone", id: value.id });
      else if (event === "run") this.#change({ type: "run", run: value });
      const at = Number(id ?? value.change);
      if (Number.isFinite(at)) this.#position = at;
    }
    return retryMs() ?? 1_000;
  }

  /** Reads one page of changes. The server delays it until there are changes. */
  async #page(): Promise<number> {
    const { items, next, reset } = await this.#transport.json<ChangePage>("/changes", {
      // The first page only gives the start position.
      headers: this.#position === undefined ? {} : { prefer: `wait=${POLL_SECONDS}` },
      query: { after: this.#position },
      signal: this.#signal,
      attempts: 1,
      isSlow: true,
    });
    this.#is("polling");
    if (reset === true || this.#position === undefined) this.#change({ type: "look" });
    else
      for (const item of items)
        this.#change(item.gone ? { type: "gone", id: item.id } : { type: "run", run: item });
    this.#position = next;
    return 0;
  }

  #change(change: RunChange): void {
    this.#tell({ change });
  }

  #is(state: ChangesConnection["state"], retryInMs?: number): void {
    this.#tell({ connection: retryInMs === undefined ? { state } : { state, retryInMs } });
  }
}

/** True if the Worker has no such route. */
function isMissing(error: unknown): boolean {
  return EngineError.is(error) && (error.code === "not_found" || error.code === "not_configured");
}
