import { useMemo, useState } from "react";
import type { EdgecrewClient } from "../edgecrew-client.ts";
import { initialRunState, type RunStore, type RunStoreOptions } from "../store/run-store.ts";
import type { RunState } from "../store/run-state.ts";

/** Number of stores a client keeps for remounted components. */
const MAX_KEPT = 50;

const stores = new WeakMap<EdgecrewClient, Map<string, unknown>>();

/** Returns the store of a name, shared by all components of a page. On a server each component has its own. */
export function useShared<Store>(
  client: EdgecrewClient,
  name: string | undefined,
  make: () => Store,
): Store | undefined {
  return useMemo(() => {
    if (name === undefined) return undefined;
    if ((globalThis as { window?: unknown }).window === undefined) return make();
    const known = stores.get(client) ?? new Map<string, unknown>();
    stores.set(client, known);
    const store = (known.get(name) as Store | undefined) ?? make();
    known.delete(name); // marks it as the most recently used
    known.set(name, store);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KEPT) break;
      known.delete(oldest);
    }
    return store;
    // The name contains every option of the store.
  }, [client, name]);
}

/** Returns the run's store, shared by all components with the same options, and its initial state. */
export function useRunStore(
  client: EdgecrewClient,
  id: string | undefined,
  options: RunStoreOptions,
): readonly [store: RunStore | undefined, start: RunState] {
  const { keep = "", slim = false, persist } = options;
  const name =
    id === undefined ? undefined : `run ${id} ${keep} ${slim} ${persist === undefined ? "" : "p"}`;
  const [start] = useState(() => initialRunState(id ?? "", options));
  return [useShared(client, name, () => client.runs.store(id ?? "", options)), start];
}
