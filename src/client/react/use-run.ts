import { useMemo } from "react";
import type { MessageRequest } from "../../runtime/mailbox/run-message.ts";
import type { Reply, RunState } from "../store/run-state.ts";
import type { RunStore, RunStoreOptions } from "../store/run-store.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";
import { useRunStore } from "./shared-stores.ts";
import { useStore } from "./use-store.ts";

/** Id or handle of a run; null for no run. */
export type RunRef = string | { readonly id: string } | null | undefined;

/** Options of a component for its run. */
export type UseRunOptions<Selected = RunState> = HookOptions &
  RunStoreOptions & {
    /**
     * Selects the component's state. The component renders again only after a change of the selection. @default
     * everything
     */
    readonly select?: (state: RunState) => Selected;
  };

/** Actions on a run. They do nothing without a run. */
export type RunActions = {
  readonly answer: (key: string, reply: Reply) => Promise<void>;
  readonly cancel: (reason?: string) => Promise<void>;
  /** Sends a message to the active agents. */
  readonly send: (message: string | MessageRequest) => Promise<void>;
  readonly pause: () => Promise<void>;
  readonly unpause: () => Promise<void>;
};

/** Selected state of a run, with its actions. */
export type UseRun<Selected = RunState> = RunActions & {
  /** Selected state; undefined without a run. */
  readonly state: Selected | undefined;
};

/** Subscribes to a run. Fetches nothing for null. */
export function useRun<Selected = RunState>(
  run: RunRef,
  { select, client, ...options }: UseRunOptions<Selected> = {},
): UseRun<Selected> {
  const [store, start] = useRunStore(useEdgecrew({ client }), idOf(run), options);
  const state = useStore(store, select ?? ((whole: RunState) => whole as Selected), start);
  const actions = useMemo(() => actionsOf(store), [store]);
  return { ...actions, state };
}

/** Selection of a text. */
export type UseTextOptions = HookOptions & {
  /** Key of the model call. @default the latest with text */
  readonly call?: string;
  /** Role of the speaking agent. @default any */
  readonly agent?: string;
};

/** Returns the growing text of a run. The component renders again with every chunk. */
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
    return { answer: nothing, cancel: nothing, send: nothing, pause: nothing, unpause: nothing };
  return {
    answer: (key, reply) => store.answer(key, reply),
    cancel: (reason) => store.cancel(reason),
    send: (message) => store.send(message),
    pause: () => store.pause(),
    unpause: () => store.unpause(),
  };
}
