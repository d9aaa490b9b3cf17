// A live list of runs.
//
//   LVR1. Shown runs are updated in place; a run that no longer fits the filter leaves the list.
//   LVR2. New runs are counted as `fresh` and do not move the list under a reader's eyes, until `takeIn` adds them.
//   LVR3. The first page is read again after a reset, and if the Worker cannot name the changes.
import type { ErrorRecord } from "../../base/error.ts";
import type { Page, RunSummary } from "../../runtime/run-directory.ts";
import type { ListRunsOptions } from "../started-runs-api.ts";
import type { RunChange } from "./changes-source.ts";
import { LiveList, type LiveListPorts } from "./live-list.ts";

/** Shown runs of a list, and the number of newer ones. */
export type RunListState = {
  /** Newest first. */
  readonly items: readonly RunSummary[];
  /** Number of newer runs not shown yet. */
  readonly fresh: number;
  /** True if there are older runs. */
  readonly hasMore: boolean;
  /** True while a page is loading, the first included. */
  readonly isLoading: boolean;
  readonly error?: ErrorRecord;
};

/** A list of runs, live while it has subscribers. */
export interface RunListStore {
  get(): RunListState;
  subscribe(notify: () => void): () => void;
  /** Reads one more page of older runs. */
  more(): Promise<void>;
  /** Shows the fresh runs. */
  takeIn(): void;
  close(): void;
}

export type RunListPorts = LiveListPorts & {
  readonly list: (options: ListRunsOptions) => Promise<Page<RunSummary>>;
};

/** Delay to combine changes in quick succession. */
const GATHER_MS = 500;

/** Filter fields comparable with a run's summary here. */
const COMPARED = new Set(["kind", "name", "status", "tag", "top", "parent", "limit", "cursor"]);

export function createRunList(ports: RunListPorts, filter: ListRunsOptions = {}): RunListStore {
  return new RunList(ports, filter);
}

class RunList extends LiveList<RunListState> implements RunListStore {
  readonly #ports: RunListPorts;
  readonly #filter: ListRunsOptions;
  /** Runs newer than the shown ones, newest first. */
  #fresh: readonly RunSummary[] = [];
  #cursor: string | undefined;
  #isRead = false;
  /** Set if runs changed during the read of the first page. */
  #isStale = false;

  constructor(ports: RunListPorts, filter: ListRunsOptions) {
    super({ items: [], fresh: 0, hasMore: false, isLoading: true }, ports, GATHER_MS);
    this.#ports = ports;
    this.#filter = filter;
  }

  async more(): Promise<void> {
    const { isLoading, hasMore } = this.state.newest;
    if (isLoading || !hasMore) return;
    await this.loading(async () => {
      const page = await this.#ports.list({ ...this.#filter, ...cursorOf(this.#cursor) });
      const shown = new Set(this.state.newest.items.map(({ id }) => id));
      this.#cursor = page.nextCursor;
      this.#show([...this.state.newest.items, ...page.items.filter(({ id }) => !shown.has(id))]);
    });
  }

  takeIn(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0) return;
    this.#fresh = [];
    this.#show([...fresh, ...this.state.newest.items], true);
  }

  protected override async read(signal: AbortSignal | undefined): Promise<void> {
    const page = await this.#ports.list(this.#filter);
    if (signal?.aborted) return;
    if (this.#isRead) return this.#renew(page);
    this.#isRead = true;
    this.#cursor = page.nextCursor;
    this.#show(page.items);
    if (this.#isStale) this.lookSoon();
  }

  /** Merges a new first page: shown runs stay in place. */
  #renew({ items, nextCursor }: Page<RunSummary>): void {
    const { items: shown } = this.state.newest;
    const now = new Map(items.map((run) => [run.id, run]));
    const known = new Set(shown.map(({ id }) => id));
    const last = items.at(-1);
    // Missing among the newest: deleted, or no longer fits the filter.
    const isIn = (run: RunSummary): boolean =>
      now.has(run.id) || (nextCursor !== undefined && last !== undefined && isOlder(run, last));
    this.#fresh = items.filter(({ id }) => !known.has(id));
    if (shown.length === 0) {
      this.#fresh = [];
      this.#cursor = nextCursor;
      return this.#show(items);
    }
    this.#show(shown.filter(isIn).map((run) => now.get(run.id) ?? run));
  }

  protected override take(change: RunChange): void {
    if (!this.#isRead) {
      this.#isStale = true;
      return;
    }
    if (change.type === "look" || (change.type === "run" && !isComparable(this.#filter)))
      return this.lookSoon();
    const id = change.type === "run" ? change.run.id : change.id;
    const run = change.type === "run" && fits(change.run, this.#filter) ? change.run : undefined;
    const { items } = this.state.newest;
    if (items.some((each) => each.id === id)) {
      this.#show(replaced(items, id, run));
    } else if (this.#fresh.some((each) => each.id === id)) {
      this.#fresh = replaced(this.#fresh, id, run);
      this.#show(items);
    } else if (run !== undefined && (items[0] === undefined || isOlder(items[0], run))) {
      this.#fresh = [run, ...this.#fresh].toSorted((a, b) => (isOlder(a, b) ? 1 : -1));
      this.#show(items);
    }
  }

  #show(items: readonly RunSummary[], isUrgent = false): void {
    const state = {
      ...this.state.newest,
      items,
      fresh: this.#fresh.length,
      hasMore: this.#cursor !== undefined,
    };
    this.state.set(state, isUrgent);
  }
}

function replaced(
  items: readonly RunSummary[],
  id: string,
  run: RunSummary | undefined,
): readonly RunSummary[] {
  return items.flatMap((each) => (each.id !== id ? each : (run ?? [])));
}

/** Compares by the order of lists: time, then id. */
function isOlder(a: RunSummary, b: RunSummary): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
}

function isComparable(filter: ListRunsOptions): boolean {
  return Object.entries(filter).every(([key, value]) => value === undefined || COMPARED.has(key));
}

function fits(run: RunSummary, filter: ListRunsOptions): boolean {
  const { kind, name, status, parent, ...others } = filter;
  const { tag, top } = others as { readonly tag?: unknown; readonly top?: unknown };
  const { tags = [] } = run as { readonly tags?: readonly string[] };
  return (
    isOneOf(run.kind, kind) &&
    (name === undefined || run.name === name) &&
    isOneOf(run.status, status) &&
    (parent === undefined || run.parent?.id === parent) &&
    (top === undefined || run.parent === undefined) &&
    listOf(tag).every((each) => tags.includes(each))
  );
}

function isOneOf(value: string, wanted: unknown): boolean {
  return wanted === undefined || listOf(wanted).includes(value);
}

function listOf(value: unknown): readonly string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as string[]) : (value as string).split(",");
}

function cursorOf(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}
