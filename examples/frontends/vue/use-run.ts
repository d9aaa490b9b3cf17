// A run as a ref, for components of Vue: `const { state, store } = useRun(() => props.id)`.
import { onScopeDispose, shallowRef, toValue, watch, type MaybeRefOrGetter } from "vue";
import { createClient, type RunState, type RunStore } from "edgecrew-client";

const client = createClient();
const nothing = (): void => undefined;

export function useRun(id: MaybeRefOrGetter<string | undefined>) {
  const state = shallowRef<RunState>();
  const store = shallowRef<RunStore>(); // answer, cancel, pause, unpause
  let leave = nothing;
  const follow = (now: string | undefined): void => {
    leave();
    const followed = now === undefined ? undefined : client.runs.store(now);
    store.value = followed;
    state.value = followed?.get();
    leave = followed?.subscribe(() => (state.value = followed.get())) ?? (() => undefined);
  };
  // Nothing is fetched while a server renders.
  watch(() => toValue(id), follow, { immediate: typeof window !== "undefined" });
  onScopeDispose(() => leave());
  return { state, store };
}
