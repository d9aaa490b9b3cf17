import { sleep, type Clock } from "../../base/clock.ts";
import { toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { ChangesFeed } from "./changes-feed.ts";
import type { RunChange } from "./changes-source.ts";
import type { Observable } from "./observable.ts";

/** Pause after a failed first page. */
const AGAIN_MS = 5_000;

/** Passes on changes until the signal aborts. Retries the first page until it succeeds. */
export async function followList(
  { feed, clock }: { readonly feed: ChangesFeed; readonly clock: Clock },
  {
    onChange,
    look,
  }: { readonly onChange: (change: RunChange) => void; readonly look: () => Promise<boolean> },
  signal: AbortSignal,
): Promise<void> {
  const stop = feed.listen({ onChange });
  try {
    while (!(await look())) await sleep(clock, AGAIN_MS, signal);
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } catch {
    // Aborted: the last subscriber has left.
  } finally {
    stop();
  }
}

type Loading = { readonly isLoading: boolean; readonly error?: ErrorRecord };

/** Shows that a read is in progress, and its error. Resolves to false after an error. */
export async function loading<State extends Loading>(
  state: Observable<State>,
  read: () => Promise<void>,
): Promise<boolean> {
  const { error: _, ...now } = state.newest;
  state.set({ ...now, isLoading: true } as State, false);
  let error: ErrorRecord | undefined;
  await read().catch((cause: unknown) => (error = toErrorRecord(cause, "unavailable")));
  const failed = error === undefined ? undefined : { error };
  state.set({ ...state.newest, isLoading: false, ...failed }, true);
  return error === undefined;
}
