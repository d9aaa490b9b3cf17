// Data of the run page: the run, its journal as a tree, and the stream of its events, applied once per frame.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { foldWords, type Words } from "../../../src/client/index.ts";
import type { RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { announce } from "../../shell/announcements.tsx";
import type { Connection } from "../../shell/changes.ts";
import { readKept } from "../../shell/preferences.ts";
import { statusWord } from "../../parts/status.tsx";
import { applyEvent } from "./apply-event.ts";
import { JournalReader } from "./journal-reader.ts";
import { StepTree } from "./step-tree.ts";

const REFRESH_MS = 400;
const HIDDEN_MS = 60_000;

export const isOver = (status: string): boolean =>
  ["completed", "failed", "cancelled"].includes(status);

export type LiveRun = {
  readonly query: ReturnType<typeof useRunQuery>;
  readonly tree: StepTree;
  /** Increases with every change of the tree. */
  readonly version: number;
  readonly words: Words;
  readonly connection: Connection | { readonly state: "ended" };
  readonly isWhole: boolean;
  /** Reads more rows, if there are more than load automatically. */
  readonly readMore: (() => void) | undefined;
};

function useRunQuery(id: string) {
  return useQuery({ queryKey: ["run", id], queryFn: () => client.runs.get(id), staleTime: 1000 });
}

/** One component follows one run; another run needs another component key. */
export function useLiveRun(id: string): LiveRun {
  const query = useRunQuery(id);
  const queries = useQueryClient();
  const [tree] = useState(() => new StepTree());
  const [version, setVersion] = useState(0);
  const [words, setWords] = useState<Words>({});
  const [connection, setConnection] = useState<LiveRun["connection"]>({ state: "connecting" });
  const [isWhole, setWhole] = useState(false);
  const [readMore, setReadMore] = useState<() => void>();
  const isThere = query.data !== undefined;
  const isPaused = useHiddenLong();
  const position = useRef<number>(undefined);
  const refresh = useCallback(
    () => void queries.invalidateQueries({ queryKey: ["run", id] }),
    [queries, id],
  );

  useEffect(() => {
    if (!isThere || isPaused) return undefined;
    const ended = new AbortController();
    const { signal } = ended;
    const frame = new Frame((spoken) => {
      setVersion((now) => now + 1);
      if (spoken !== undefined) setWords(spoken);
    });
    const journal = new JournalReader(id, tree, () => frame.draw());
    follow().catch(() => {
      if (!signal.aborted) setConnection({ state: "offline" });
    });
    return () => {
      ended.abort();
      frame.stop();
    };

    async function follow(): Promise<void> {
      const run = queries.getQueryData<RunView>(["run", id]);
      if (run !== undefined && isOver(run.status)) {
        setConnection({ state: "ended" });
        await readAll(readKept("newestFirst", false) ? "desc" : "asc");
        return;
      }
      // Rows read from now on include all events up to here.
      const from = position.current ?? (await newestSeq(id, signal));
      const rest =
        position.current === undefined
          ? readAll("desc")
          : journal.readNews(openKeys(tree), signal).then(() => readAll("desc"));
      position.current = from;
      rest.catch(() => undefined);
      const later = new Later(signal, (changed, isNew) => {
        refresh();
        if (isNew) void journal.readNews(changed, signal).catch(() => undefined);
      });
      try {
        const stream = client.runs.handle(id).events({
          signal,
          after: from,
          onConnection: (state, retryInMs = 0) => setConnection({ state, retryInMs }),
        });
        for await (const event of stream) {
          frame.words = foldWords(frame.words ?? {}, event);
          if ("seq" in event) {
            position.current = event.seq;
            if (!applyEvent(tree, event)) later.read((event as { path?: string }).path);
            else if (/^(task|method_execution)_(completed|finished)$/.test(event.type))
              later.read();
            if (/^(run_|wait_|task_|llm_call_completed)/.test(event.type)) later.refresh();
            const status = /^run_(completed|failed|cancelled|waiting)$/.exec(event.type)?.[1];
            if (status !== undefined)
              announce(`Run ${statusWord(status as RunView["status"]).toLowerCase()}`);
          }
          frame.draw();
        }
        await rest;
        await journal.readNews(openKeys(tree), signal);
      } finally {
        later.stop();
        if (!signal.aborted) refresh();
      }
    }

    async function readAll(order: "asc" | "desc"): Promise<void> {
      setReadMore(undefined);
      await journal.readAll(order, signal);
      setWhole(true);
      if (!journal.isWhole) setReadMore(() => () => void readAll(order).catch(() => undefined));
    }
  }, [id, isThere, isPaused, queries, refresh, tree]);

  return {
    query,
    tree,
    version,
    words,
    connection: isPaused ? { state: "paused" } : connection,
    isWhole,
    readMore,
  };
}

/** Returns the position of the newest event. 0 if unknown: then the stream begins with the first one. */
async function newestSeq(id: string, signal: AbortSignal): Promise<number> {
  try {
    const { items } = await client.runs
      .handle(id)
      .eventPage({ order: "desc", limit: 1, slim: true });
    const seq = items[0]?.seq ?? 0;
    // Includes the `run_waiting` event: the run's object may sleep, so its waiting state comes from this event.
    return items[0]?.type === "run_waiting" ? seq - 1 : seq;
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}

const openKeys = (tree: StepTree): ReadonlySet<string> =>
  new Set(tree.steps.flatMap(({ key, endedAt }) => (endedAt === undefined ? [key] : [])));

/** True if the tab was hidden for a minute: then it closes its stream. */
function useHiddenLong(): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => setLong(true), HIDDEN_MS);
      else setLong(false);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isLong;
}

/** Collects rows to read again, for a moment. */
class Later {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isNew = false;
  #changed = new Set<string>();
  readonly #signal: AbortSignal;
  readonly #act: (changed: ReadonlySet<string>, isNew: boolean) => void;

  constructor(signal: AbortSignal, act: (changed: ReadonlySet<string>, isNew: boolean) => void) {
    this.#signal = signal;
    this.#act = act;
  }

  refresh(): void {
    this.#timer ??= setTimeout(() => {
      const changed = this.#changed;
      const isNew = this.#isNew;
      this.#changed = new Set();
      this.#isNew = false;
      this.#timer = undefined;
      if (!this.#signal.aborted) this.#act(changed, isNew);
    }, REFRESH_MS);
  }

  /** Also reads new rows of the journal, and this row. */
  read(key?: string): void {
    this.#isNew = true;
    if (key !== undefined) this.#changed.add(key);
    this.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Renders at most once a frame. A hidden tab has no frames, and renders when it is visible again. */
class Frame {
  words: Words | undefined;
  #asked = 0;
  readonly #onDraw: (words: Words | undefined) => void;

  constructor(onDraw: (words: Words | undefined) => void) {
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
  }
}
