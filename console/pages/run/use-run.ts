// What the run page stands on: the run, its journal as a tree, and the stream of its events, gathered once per frame.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { foldWords, type Words } from "../../../src/client/index.ts";
import type { RunView } from "../../api-types.ts";
import { api, client } from "../../api.ts";
import { announce } from "../../shell/announcements.tsx";
import type { Connection } from "../../shell/changes.ts";
import { statusWord } from "../../parts/status.tsx";
import { applyEvent, StepTree } from "./step-tree.ts";

const PAGE = 200;
const MAX_ROWS = 20_000;
const REFRESH_MS = 400;

export const isOver = (status: string): boolean =>
  ["completed", "failed", "cancelled"].includes(status);

export type LiveRun = {
  readonly query: ReturnType<typeof useRunQuery>;
  readonly tree: StepTree;
  /** Grows with every change of the tree. */
  readonly version: number;
  readonly words: Words;
  readonly connection: Connection | { readonly state: "ended" };
  readonly isWhole: boolean;
};

function useRunQuery(id: string) {
  return useQuery({ queryKey: ["run", id], queryFn: () => api.run(id), staleTime: 1000 });
}

export function useLiveRun(id: string): LiveRun {
  const query = useRunQuery(id);
  const queries = useQueryClient();
  const tree = useRef({ id, tree: new StepTree() });
  if (tree.current.id !== id) tree.current = { id, tree: new StepTree() };
  const [version, setVersion] = useState(0);
  const [words, setWords] = useState<Words>({});
  const [connection, setConnection] = useState<LiveRun["connection"]>({ state: "connecting" });
  const [isWhole, setWhole] = useState(false);
  const isThere = query.data !== undefined;
  const refresh = useCallback(
    () => void queries.invalidateQueries({ queryKey: ["run", id] }),
    [queries, id],
  );

  useEffect(() => {
    if (!isThere) return undefined;
    const ended = new AbortController();
    const { tree: steps } = tree.current;
    const journal = new JournalReader(id, steps, () => setVersion((now) => now + 1));
    setWhole(false);
    setWords({});
    void follow();
    return () => ended.abort();

    async function follow(): Promise<void> {
      const frame = new Frame((spoken) => {
        setVersion((now) => now + 1);
        setWords(spoken);
      });
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isReadingNeeded = false;
      const later = (): void => {
        timer ??= setTimeout(() => {
          timer = undefined;
          refresh();
          if (isReadingNeeded) void journal.readOn().catch(() => undefined);
          isReadingNeeded = false;
        }, REFRESH_MS);
      };
      try {
        await journal.readOn(ended.signal);
        setWhole(journal.isWhole);
        const run = queries.getQueryData<RunView>(["run", id]);
        const stream = client.runs.handle(id).events({
          signal: ended.signal,
          onConnection: (state, inMs = 0) =>
            setConnection(state === "retrying" ? { state, inMs } : { state }),
        });
        if (run !== undefined && isOver(run.status)) {
          setConnection({ state: "ended" });
          await addUsage(stream, steps);
          setVersion((now) => now + 1);
          return;
        }
        for await (const event of stream) {
          frame.words = foldWords(frame.words, event);
          if ("seq" in event) {
            if (!applyEvent(steps, event)) isReadingNeeded = true;
            if (/^(run_|wait_|task_|llm_call_completed)/.test(event.type)) later();
            const status = /^run_(completed|failed|cancelled|waiting)$/.exec(event.type)?.[1];
            if (status !== undefined)
              announce(`Run ${statusWord(status as RunView["status"]).toLowerCase()}`);
          }
          frame.draw();
        }
        await journal.readOn();
      } catch {
        if (!ended.signal.aborted) setConnection({ state: "offline" });
      } finally {
        clearTimeout(timer);
        frame.stop();
        if (!ended.signal.aborted) refresh();
      }
    }
  }, [id, isThere, queries, refresh]);

  return { query, tree: tree.current.tree, version, words, connection, isWhole };
}

/** The journal has no usage of its own in every Worker: events say it. */
async function addUsage(
  events: AsyncIterable<{ readonly type: string }>,
  steps: StepTree,
): Promise<void> {
  for await (const event of events) {
    const { type, path, usage } = event as { type: string; path?: string; usage?: never };
    const row = path === undefined ? undefined : steps.get(path);
    if (
      type === "llm_call_completed" &&
      row !== undefined &&
      row.usage === undefined &&
      usage !== undefined
    )
      steps.add([{ ...row, usage }]);
  }
}

/** Draws at most once a frame, and not at all while the tab is hidden. */
class Frame {
  words: Words = {};
  #asked = 0;
  readonly #onDraw: (words: Words) => void;

  constructor(onDraw: (words: Words) => void) {
    this.#onDraw = onDraw;
  }

  draw(): void {
    if (this.#asked !== 0) return;
    this.#asked = requestAnimationFrame(() => {
      this.#asked = 0;
      this.#onDraw(this.words);
    });
  }

  stop(): void {
    cancelAnimationFrame(this.#asked);
    this.#asked = 0;
    this.#onDraw(this.words);
  }
}

/** Reads the journal page by page, and later from the first page on that had rows under way. */
class JournalReader {
  isWhole = false;
  #from: string | undefined;
  #reading: Promise<void> | undefined;
  readonly #id: string;
  readonly #tree: StepTree;
  readonly #onRows: () => void;

  constructor(id: string, tree: StepTree, onRows: () => void) {
    this.#id = id;
    this.#tree = tree;
    this.#onRows = onRows;
  }

  readOn(signal?: AbortSignal): Promise<void> {
    this.#reading ??= this.#read(signal).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(signal?: AbortSignal): Promise<void> {
    let cursor = this.#from;
    let isOpen = false;
    while (this.#tree.size < MAX_ROWS) {
      signal?.throwIfAborted();
      // oxlint-disable-next-line no-await-in-loop -- a page names the next
      const page = await api.journal(this.#id, { cursor, limit: PAGE });
      this.#tree.add(page.items);
      isOpen ||= page.items.some(({ endedAt }) => endedAt === undefined);
      this.#onRows();
      if (page.nextCursor === undefined) {
        this.isWhole = true;
        return;
      }
      cursor = page.nextCursor;
      if (!isOpen) this.#from = cursor;
    }
  }
}
