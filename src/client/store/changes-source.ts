import type { RunSummary } from "../../runtime/run-directory.ts";

/** A change of a run. `look`: unknown runs may have changed. */
export type RunChange =
  | { readonly type: "run"; readonly run: RunSummary }
  | { readonly type: "gone"; readonly id: string }
  | { readonly type: "look" };

/**
 * State of the client's connection for changes. `polling`: the platform cannot read streams. `paused`: the page is
 * hidden.
 */
export type ChangesConnection = {
  readonly state: "connecting" | "live" | "polling" | "retrying" | "paused";
  /** Milliseconds until the next attempt, while it is retrying. */
  readonly retryInMs?: number;
};

/** A change, or a new state of the connection. */
export type ChangesNews =
  | { readonly change: RunChange }
  | { readonly connection: ChangesConnection };

/** Reports changes until the signal aborts. Never rejects. */
export type ChangesSource = (
  tell: (news: ChangesNews) => void,
  signal: AbortSignal,
) => Promise<void>;
