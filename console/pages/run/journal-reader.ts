// Reads the journal of a run into its tree: first completely, page by page, and later only new and changed rows.
import type { StepRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import type { StepTree } from "./step-tree.ts";

const PAGE = 200;
/** Number of rows to request around the newest known one. */
const AROUND = 20;
const MAX_ROWS = 20_000;

export class JournalReader {
  readonly #id: string;
  readonly #tree: StepTree;
  readonly #onRows: () => void;
  #isWhole = false;
  #limit = MAX_ROWS;
  #cursor: string | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(id: string, tree: StepTree, onRows: () => void) {
    this.#id = id;
    this.#tree = tree;
    this.#onRows = onRows;
  }

  /** True if all rows are present, except those that begin later. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Reads the first page, and the others while the tab is visible and idle. For an active run the newest rows come
   * first, as readers look at them. Ends after 20,000 rows; another call reads as many more.
   */
  async readAll(order: "asc" | "desc", signal: AbortSignal): Promise<void> {
    while (!this.#isWhole && this.#tree.size < this.#limit) {
      const page = await client.runs
        .handle(this.#id)
        .journal({ cursor: this.#cursor, limit: PAGE, ...(order === "desc" && { order }) });
      signal.throwIfAborted();
      this.#add(page.items);
      this.#cursor = page.nextCursor;
      this.#isWhole = page.nextCursor === undefined;
      if (!this.#isWhole) await idle(signal);
    }
    this.#limit = this.#tree.size + MAX_ROWS;
    this.#onRows();
  }

  /** Reads the rows after the newest known one, and these changed rows. Calls run one after another. */
  readNews(changed: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    this.#reading = this.#reading
      .catch(() => undefined)
      .then(() => this.#readNews(changed, signal));
    return this.#reading;
  }

  async #readNews(changed: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const left = new Set(changed);
    const take = (rows: readonly StepRow[]): void => {
      for (const { key } of rows) left.delete(key);
      this.#add(rows);
    };
    const newest = this.#tree.newestKey;
    let cursor: string | undefined;
    do {
      const query =
        cursor !== undefined
          ? { cursor, limit: PAGE }
          : newest === undefined
            ? { limit: PAGE }
            : { around: newest, limit: AROUND };
      const page = await client.runs.handle(this.#id).journal(query);
      signal.throwIfAborted();
      take(page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    for (const key of left) {
      if (!left.has(key)) continue; // came with another one
      left.delete(key);
      if (this.#tree.get(key) === undefined) continue; // older than the rows read so far
      const page = await client.runs
        .handle(this.#id)
        .journal({ around: key, limit: left.size > 0 ? PAGE : 1 });
      signal.throwIfAborted();
      take(page.items);
    }
  }

  #add(rows: readonly StepRow[]): void {
    this.#tree.add(rows);
    this.#onRows();
  }
}

/** Resolves when the tab is visible and idle. */
async function idle(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (document.hidden)
    await new Promise<void>((resolve) => {
      const look = (): void => resolve();
      document.addEventListener("visibilitychange", look, { once: true });
      signal.addEventListener("abort", look, { once: true });
    });
  await new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === "undefined") setTimeout(resolve, 16);
    else requestIdleCallback(() => resolve(), { timeout: 500 });
  });
  signal.throwIfAborted();
}
