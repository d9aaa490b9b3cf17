import type { RunSummary } from "../../runtime/run-directory.ts";

/** What has happened to a run. `look`: something may have changed, and nobody can say what. */
export type RunChange =
  | { readonly type: "run"; readonly run: RunSummary }
  | { readonly type: "gone"; readonly id: string }
  | { readonly type: "look" };

/**
 * How a client hears of changes. `polling`: it asks again and again, because no stream can be read. `paused`: nobody looks at the
 * page.
 */
export type ChangesConnection = {
  readonly state: "connecting" | "live" | "polling" | "retrying" | "paused";
  /** While it is retrying: how soon it connects again, in milliseconds. */
  readonly retryInMs?: number;
};

/** A change, or how the connection is now. */
export type ChangesNews =
  | { readonly change: RunChange }
  | { readonly connection: ChangesConnection };

/** Hears of changes until the signal aborts. Never rejects. */
export type ChangesSource = (
  tell: (news: ChangesNews) => void,
  signal: AbortSignal,
) => Promise<void>;
