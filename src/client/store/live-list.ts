import { sleep, type Clock } from "../../base/clock.ts";
import { toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { ChangesFeed } from "./changes-feed.ts";
import type { RunChange } from "./changes-source.ts";
import { Observable } from "./observable.ts";

/** Pause after a failed first page. */
const AGAIN_MS = 5_000;

type Loading = { readonly isLoading: boolean; readonly error?: ErrorRecord };

export type LiveListPorts = { readonly feed: ChangesFeed; readonly clock: Clock };

/** A list that follows changes while it has subscribers. */
export abstract class LiveList<State extends Loading> {
  protected readonly state: Observable<State>;
  readonly #ports: LiveListPorts;
  readonly #gatherMs: number;
  #signal: AbortSignal | undefined;
  #cancelLook: (() => void) | undefined;

  /** Changes within `gatherMs` cause one read. */
  constructor(empty: State, ports: LiveListPorts, gatherMs: number) {
    this.#ports = ports;
    this.#gatherMs = gatherMs;
    this.state = new Observable(empty, ports.clock, (signal) => this.#follow(signal));
  }

  /** Reads the shown pages and stores them in the state. Rejects after a failure. */
  protected abstract read(signal: AbortSignal | undefined): Promise<void>;

  /** Receives each change of a run. */
  protected abstract take(change: RunChange): void;

  get(): State {
    return this.state.get();
  }

  subscribe(notify: () => void): () => void {
    return this.state.subscribe(notify, () => this.close());
  }

  close(): void {
    this.state.close();
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }

  /** Reads again, once for requests in quick succession. */
  protected lookSoon(): void {
    const signal = this.#signal;
    this.#cancelLook ??= this.#ports.clock.after(this.#gatherMs, () => {
      this.#cancelLook = undefined;
      if (signal?.aborted !== true) void this.look();
    });
  }

  /** Reads now. Resolves to false after a failure. */
  protected look(): Promise<boolean> {
    const signal = this.#signal;
    return this.loading(() => this.read(signal));
  }

  /** Shows that a read is in progress, and its error. Resolves to false after an error. */
  protected async loading(read: () => Promise<void>): Promise<boolean> {
    const { error: _, ...now } = this.state.newest;
    this.state.set({ ...now, isLoading: true } as State, false);
    let error: ErrorRecord | undefined;
    await read().catch((cause: unknown) => (error = toErrorRecord(cause, "unavailable")));
    const failed = error === undefined ? undefined : { error };
    this.state.set({ ...this.state.newest, isLoading: false, ...failed }, true);
    return error === undefined;
  }

  /** Passes on changes until the signal aborts. Retries the first page until it succeeds. */
  async #follow(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const stop = this.#ports.feed.listen({ onChange: (change) => this.take(change) });
    try {
      while (!(await this.look())) await sleep(this.#ports.clock, AGAIN_MS, signal);
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    } catch {
      // Aborted: the last subscriber has left.
    } finally {
      stop();
    }
  }
}
