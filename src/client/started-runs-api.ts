import type { RunPage, RunQuery } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import type { PageOptions } from "./page-options.ts";
import { RemoteRun } from "./remote-run.ts";
import type { Transport } from "./transport.ts";

/** Filter of a list of runs, newest first. */
export type ListRunsOptions = PageOptions & Partial<Omit<RunQuery, "tenant" | "cursor" | "limit">>;

/** Runs, without live values. */
export class StartedRunsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists runs, newest first. */
  list(
    { kind, status, tag, ...options }: ListRunsOptions = {},
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<RunPage> {
    const lists = { kind: kind?.toString(), status: status?.toString(), tag: tag?.toString() };
    return this.#transport.json("/runs", { query: { ...options, ...lists }, signal });
  }

  get(id: string): Promise<Run> {
    return this.handle(id).status();
  }

  /** Returns a handle on an existing run. Sends no request by itself. */
  handle(id: string): RemoteRun {
    return new RemoteRun(this.#transport, { id });
  }
}
