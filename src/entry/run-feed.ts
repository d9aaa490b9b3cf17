/** Changes of all runs as one stream, and the search of runs by words. */
import { D1RunChanges } from "../cloudflare/stores/d1-run-changes.ts";
import type { Part } from "../parts/part.ts";
import { runFeedPart } from "../run-feed/run-feed-part.ts";

/**
 * Lists changes of runs at `GET /changes`, and stores the words of runs for `GET /runs?q=`: `defineApp({ parts:
 * [runFeed()] })`.
 */
export function runFeed(): Part {
  return runFeedPart(({ DB }) => new D1RunChanges(DB));
}

export type { RunChange } from "../run-feed/run-changes.ts";
export type { ReportedChange } from "../run-feed/look-for-changes.ts";
