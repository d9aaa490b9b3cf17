// The inbox: open waits across runs, live.
//
//   WLS1. An answered wait shows the progress of its answer, and leaves the list once the answer has taken effect.
//   WLS2. The list is read again when a run starts or stops waiting, and not for other changes.
import { EngineError, toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { Page, WaitSummary } from "../../runtime/run-directory.ts";
import type { PageOptions } from "../page-options.ts";
import type { RemoteRun } from "../remote-run.ts";
import type { RunChange } from "./changes-source.ts";
import { LiveList, type LiveListPorts } from "./live-list.ts";
import type { AnswerState, Reply } from "./run-state.ts";

/** A wait in the inbox, with this page's answer until it takes effect. */
export type InboxItem = WaitSummary & { readonly answer?: AnswerState };

/** The open waits of all runs, with this page's answers. */
export type WaitListState = {
  readonly items: readonly InboxItem[];
  readonly hasMore: boolean;
  /** True while a page is loading, the first included. */
  readonly isLoading: boolean;
  readonly error?: ErrorRecord;
};

/** The open waits, live while the list has subscribers. */
export interface WaitListStore {
  get(): WaitListState;
  subscribe(notify: () => void): () => void;
  more(): Promise<void>;
  /**
   * Answers a wait of the list, identified by itself or, if it is unique, by its key. Never rejects: see `answer` of
   * the item.
   */
  answer(wait: WaitSummary | string, reply: Reply): Promise<void>;
  close(): void;
}

export type WaitListPorts = LiveListPorts & {
  readonly list: (options: ListWaitsOptions) => Promise<Page<WaitSummary>>;
  readonly handle: (runId: string) => RemoteRun;
};

/** Delay to combine changes in quick succession. */
const GATHER_MS = 250;

export function createWaitList(ports: WaitListPorts, filter: ListWaitsOptions = {}): WaitListStore {
  return new WaitList(ports, filter);
}

class WaitList extends LiveList<WaitListState> implements WaitListStore {
  readonly #ports: WaitListPorts;
  readonly #filter: ListWaitsOptions;
  readonly #answers = new Map<string, AnswerState>();
  /** Number of pages requested by the reader. */
  #pages = 1;

  constructor(ports: WaitListPorts, filter: ListWaitsOptions) {
    super({ items: [], hasMore: false, isLoading: true }, ports, GATHER_MS);
    this.#ports = ports;
    this.#filter = filter;
  }

  async more(): Promise<void> {
    if (!this.state.newest.hasMore) return;
    this.#pages++;
    await this.look();
  }

  async answer(wait: WaitSummary | string, reply: Reply): Promise<void> {
    const item = this.#find(wait);
    if (item === undefined) return;
    this.#mark(item, { state: "sending", reply });
    try {
      await this.#ports.handle(item.run.id).resume({ ...reply, key: item.key });
      this.#mark(item, { state: "sent", reply });
      if (this.state.isWatched) this.lookSoon();
    } catch (error) {
      this.#mark(item, { state: "refused", reply, error: toErrorRecord(error, "unavailable") });
    }
  }

  #find(wait: WaitSummary | string): InboxItem | undefined {
    const { items } = this.state.newest;
    if (typeof wait !== "string") return items.find((each) => idOf(each) === idOf(wait));
    const found = items.filter(({ key }) => key === wait);
    if (found.length < 2) return found[0];
    throw new EngineError(
      "invalid_input",
      `${found.length} runs wait at ${wait}: pass the wait itself, which names its run`,
    );
  }

  protected override take(change: RunChange): void {
    if (this.#concerns(change)) this.lookSoon();
  }

  #concerns(change: RunChange): boolean {
    if (change.type === "look") return true;
    const id = change.type === "run" ? change.run.id : change.id;
    const known = this.state.newest.items.filter(({ run }) => run.id === id).length;
    if (change.type === "gone") return known > 0;
    return change.run.waits !== known;
  }

  /** Reads all shown pages. */
  protected override async read(): Promise<void> {
    const items: WaitSummary[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < this.#pages && (page === 0 || cursor !== undefined); page++) {
      const read: Page<WaitSummary> = await this.#ports.list({
        ...this.#filter,
        ...(cursor === undefined ? undefined : { cursor }),
      });
      items.push(...read.items);
      cursor = read.nextCursor;
    }
    const open = new Set(items.map(idOf));
    for (const id of this.#answers.keys()) if (!open.has(id)) this.#answers.delete(id);
    const shown = items.map((item) => this.#withAnswer(item));
    const state = { ...this.state.newest, items: shown, hasMore: cursor !== undefined };
    this.state.set(state, true);
  }

  #mark(item: WaitSummary, answer: AnswerState): void {
    this.#answers.set(idOf(item), answer);
    const items = this.state.newest.items.map((each) => this.#withAnswer(each));
    this.state.set({ ...this.state.newest, items }, true);
  }

  #withAnswer({ answer: before, ...item }: InboxItem): InboxItem {
    const answer = this.#answers.get(idOf(item));
    if (answer !== undefined && answer === before) return { ...item, answer };
    return answer === undefined ? item : { ...item, answer };
  }
}

function idOf({ run, key }: WaitSummary): string {
  return `${run.id}/${key}`;
}

/** Filter of a list of waits. */
export type ListWaitsOptions = PageOptions & {
  /** Name of the waiting runs' definition. */
  readonly name?: string;
  /** The kind of the run. */
  readonly kind?: string;
  /** The id of the run. */
  readonly run?: string;
  readonly tag?: string;
  /** Search text for the question. */
  readonly q?: string;
  /** `expires`: the next to expire comes first. @default the oldest question first */
  readonly order?: "expires";
};
