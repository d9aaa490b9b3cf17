import { useCallback, useState, useSyncExternalStore } from "react";

/** Members of a store used by hooks. */
export type Watched<State> = {
  get(): State;
  subscribe(notify: () => void): () => void;
};

/**
 * Returns `select` of a store's state. The component renders again only after a change of the selection, compared field
 * by field. Without a store, there is no subscription. `start` is the server's rendering: the browser repeats it first,
 * even with newer state.
 */
export function useStore<State, Selected>(
  store: Watched<State> | undefined,
  select: (state: State) => Selected,
  start: State,
): Selected | undefined {
  const [last] = useState<{ store?: unknown; selected?: Selected }>(() => ({}));
  const subscribe = useCallback(
    (notify: () => void) => store?.subscribe(notify) ?? (() => undefined),
    [store],
  );
  const read = (state: State | undefined): Selected | undefined => {
    if (store === undefined || state === undefined) return undefined;
    const selected = select(state);
    if (last.store === store && isSame(last.selected, selected)) return last.selected;
    last.store = store;
    last.selected = selected;
    return selected;
  };
  return useSyncExternalStore(
    subscribe,
    () => read(store?.get()),
    () => read(start),
  );
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.length &&
    left.every(([key, value]) => Object.is(value, (b as Record<string, unknown>)[key]))
  );
}
