import { useMemo } from "react";
import type { Reply, RunState } from "../store/run-state.ts";
import type { RunStore, RunStoreOptions } from "../store/run-store.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";
import { useRunStore } from "./shared-stores.ts";
import { useStore } from "./use-store.ts";

/** A run, by its id or its handle; null while there is none. */
export type RunRef = string | { readonly id: string } | null | undefined;

/** What a component takes of a run. */
export type UseRunOptions<Selected = RunState> = HookOptions &
  RunStoreOptions & {
    /** Picks what the component shows: it is drawn again only when that changes. @default everything */
    readonly select?: (state: RunState) => Selected;
  };

/** What can be done with a run. Nothing happens while there is none. */
export type RunActions = {
  readonly answer: (key: string, reply: Reply) => Promise<void>;
  readonly cancel: (reason?: string) => Promise<void>;
  readonly pause: () => Promise<void>;
  readonly unpause: () => Promise<void>;
};

/** A run as a component has it: what was selected of its state, and what can be done with it. */
export type UseRun<Selected = RunState> = RunActions & {
  /** What was selected; undefined while there is no run. */
  readonly state: Selected | undefined;
};

/** A run, live. For null nothing is fetched. */
export function useRun<Selected = RunState>(
  run: RunRef,
  { select, client, ...options }: UseRunOptions<Selected> = {},
): UseRun<Selected> {
  const [store, start] = useRunStore(useEdgecrew({ client }), idOf(run), options);
  const state = useStore(store, select ?? ((whole: RunState) => whole as Selected), start);
  const actions = useMemo(() => actionsOf(store), [store]);
  return { ...actions, state };
}

/** Which words are wanted. */
export type UseTextOptions = HookOptions & {
  /** The key of the model call. @default the latest that says something */
  readonly call?: string;
  /** The role of the agent that speaks. @default any */
  readonly agent?: string;
};

/** The growing text of a run, for one component that is drawn with every piece of it. */
export function useText(run: RunRef, { call, agent, client }: UseTextOptions = {}): string {
  const [store, start] = useRunStore(useEdgecrew({ client }), idOf(run), {});
  const select = ({ text }: RunState): string => {
    if (call !== undefined) return text[call]?.text ?? "";
    const speaking = Object.values(text).findLast(
      (each) => each.text !== "" && (agent === undefined || each.agent === agent),
    );
    return speaking?.text ?? "";
  };
  return useStore(store, select, start) ?? "";
}

export function idOf(run: RunRef): string | undefined {
  return typeof run === "string" ? run : run?.id;
}

const nothing = (): Promise<void> => Promise.resolve();

function actionsOf(store: RunStore | undefined): RunActions {
  if (store === undefined)
    return { answer: nothing, cancel: nothing, pause: nothing, unpause: nothing };
  return {
    answer: (key, reply) => store.answer(key, reply),
    cancel: (reason) => store.cancel(reason),
    pause: () => store.pause(),
    unpause: () => store.unpause(),
  };
}
