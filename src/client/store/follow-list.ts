import { sleep, type Clock } from "../../base/clock.ts";
import { toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { ChangesFeed } from "./changes-feed.ts";
import type { RunChange } from "./changes-source.ts";
import type { Observable } from "./observable.ts";

/** After a first page that could not be read. */
const AGAIN_MS = 5_000;

/** Hears of changes until the signal aborts, and reads the first page until that has worked. */
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
    while (!(await look())) await sleep(clock, AGAIN_MS, signal); // oxlint-disable-line no-await-in-loop -- until it works
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } catch {
    // The signal: nobody looks any more.
  } finally {
    stop();
  }
}

type Loading = { readonly isLoading: boolean; readonly error?: ErrorRecord };

/** Shows that something is being read, and why that failed; false then. */
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
