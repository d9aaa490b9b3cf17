import { useMemo } from "react";
import type { WaitSummary } from "../../runtime/run-directory.ts";
import type { ListRunsOptions } from "../started-runs-api.ts";
import type { RunListState } from "../store/run-list.ts";
import type { Reply } from "../store/run-state.ts";
import type { WaitListState, ListWaitsOptions } from "../store/wait-list.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";
import { useShared } from "./shared-stores.ts";
import { useStore } from "./use-store.ts";

const NO_RUNS: RunListState = { items: [], fresh: 0, hasMore: false, isLoading: true };
const NO_WAITS: WaitListState = { items: [], hasMore: false, isLoading: true };

const whole = <State>(state: State): State => state;

/** A list of runs in a component. */
export type UseRuns = RunListState & {
  /** Reads one more page of older runs. */
  readonly more: () => Promise<void>;
  /** Shows the fresh runs. */
  readonly takeIn: () => void;
};

/** Subscribes to a list of runs. */
export function useRuns(filter: ListRunsOptions = {}, options: HookOptions = {}): UseRuns {
  const client = useEdgecrew(options);
  const name = `runs ${JSON.stringify(filter)}`;
  const store = useShared(client, name, () => client.runs.watch(filter));
  const state = useStore(store, whole, NO_RUNS) ?? NO_RUNS;
  const actions = useMemo(
    () => ({
      more: async () => store?.more(),
      takeIn: () => store?.takeIn(),
    }),
    [store],
  );
  return { ...state, ...actions };
}

/** Open questions in a component, with their actions. */
export type UseInbox = WaitListState & {
  /** Answers a wait of the list, identified by itself or by its key. Never rejects: see `answer` of the item. */
  readonly answer: (wait: WaitSummary | string, reply: Reply) => Promise<void>;
  readonly more: () => Promise<void>;
};

/** Subscribes to the open waits of all runs. */
export function useInbox(filter: ListWaitsOptions = {}, options: HookOptions = {}): UseInbox {
  const client = useEdgecrew(options);
  const name = `waits ${JSON.stringify(filter)}`;
  const store = useShared(client, name, () => client.waits.watch(filter));
  const state = useStore(store, whole, NO_WAITS) ?? NO_WAITS;
  const actions = useMemo(
    () => ({
      answer: async (wait: WaitSummary | string, reply: Reply) => store?.answer(wait, reply),
      more: async () => store?.more(),
    }),
    [store],
  );
  return { ...state, ...actions };
}
