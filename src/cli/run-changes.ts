// Finds changes of all runs by polling the list.
//
//   RCH1. Each change of a run's status between two polls is reported once, oldest run first. Of several changes only
//         the newest is reported.
//   RCH2. An unreachable Worker is polled again: no change is lost or repeated.
import { mapAtMost } from "../base/concurrency.ts";
import { sleep, type Clock } from "../base/clock.ts";
import {
  EngineError,
  type EdgecrewClient,
  type ListRunsOptions,
  type Page,
  type RunSummary,
} from "../client/index.ts";

export type RunChangesOptions = {
  readonly client: EdgecrewClient;
  readonly clock: Clock;
  /** Ends the changes. */
  readonly signal: AbortSignal;
  readonly query: Omit<ListRunsOptions, "limit" | "cursor">;
  /** Called if the Worker could not be reached. */
  readonly onLost: (error: EngineError) => void;
};

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
const PAGE = 200;
/** Number of older active runs, outside of the page, to request one by one in each poll. */
const OLDER_AT_ONCE = 20;

const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

export class RunChanges {
  readonly #options: RunChangesOptions;
  readonly #states = new Map<string, string>();
  readonly #open = new Map<string, RunSummary>();
  /** Older runs existed before, on later pages. */
  #since = "";

  constructor(options: RunChangesOptions) {
    this.#options = options;
  }

  /** Reads the current runs. Later changes are reported from here. */
  async begin(): Promise<Page<RunSummary>> {
    const page = await this.#page();
    if (page.nextCursor !== undefined) this.#since = page.items.at(-1)?.createdAt ?? "";
    for (const run of page.items) this.#note(run);
    return page;
  }

  /** Ends only with the signal. Throws errors that are no connection failures. */
  async *changes(): AsyncGenerator<RunSummary> {
    const { clock, signal, onLost } = this.#options;
    for (let failures = 0; ;) {
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);
      await sleep(clock, pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        yield* await this.#look();
        failures = 0;
      } catch (error) {
        if (!EngineError.is(error) || !error.retryable) throw error;
        if (failures++ === 0) onLost(error);
      }
    }
  }

  async #look(): Promise<readonly RunSummary[]> {
    const found: RunSummary[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.#page(cursor);
      found.push(...page.items.filter(({ createdAt }) => createdAt >= this.#since));
      cursor = page.nextCursor;
      if (cursor === undefined || page.items.some(({ id }) => this.#states.has(id))) break;
    }
    const listed = new Set(found.map(({ id }) => id));
    const older = [...this.#open.values()].filter(({ id }) => !listed.has(id));
    found.push(...(await this.#lookAt(older.slice(0, OLDER_AT_ONCE))));
    return found.toReversed().filter((run) => this.#note(run));
  }

  /** Requests runs that a filter or newer runs have pushed out of the list. */
  async #lookAt(runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
    const { client } = this.#options;
    const now = await mapAtMost(runs, 5, async (run) => {
      this.#open.delete(run.id); // an open run goes to the end of the queue
      try {
        const { status, finishedAt } = await client.runs.get(run.id);
        return [{ ...run, status, updatedAt: finishedAt ?? run.updatedAt }];
      } catch (error) {
        if (!EngineError.is(error)) throw error;
        if (error.code === "not_found") return [];
        this.#open.set(run.id, run); // the next poll asks again; the others have been found
        return [];
      }
    });
    return now.flat();
  }

  /** True if the run has changed. */
  #note(run: RunSummary): boolean {
    const { id, status, held = false } = run;
    const state = held ? "held" : status;
    if (ENDED.has(status)) this.#open.delete(id);
    else this.#open.set(id, run);
    if (this.#states.get(id) === state) return false;
    this.#states.set(id, state);
    return true;
  }

  #page(cursor?: string): Promise<Page<RunSummary>> {
    const { client, query } = this.#options;
    return client.runs.list({ ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
  }
}
