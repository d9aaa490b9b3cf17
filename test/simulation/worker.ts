// One thread of the search.
import { parentPort, workerData } from "node:worker_threads";
import { PLANTED_BUGS } from "./planted-bugs.ts";
import { search, searchEveryCrash, type SearchOptions } from "./search.ts";

export type WorkerTask = {
  /** Random faults, or every crash point, or every pair of them. */
  readonly mode: "random" | "crashes" | "pairs";
  /** The name of a planted bug: functions do not travel between threads. */
  readonly bug: string | undefined;
  readonly options: Omit<SearchOptions, "bug">;
};

const { mode, bug: name, options } = workerData as WorkerTask;
const { programs: count, seed, store } = options;
const bug = PLANTED_BUGS.find((each) => each.name === name);
const result =
  mode === "random"
    ? await search({ ...options, bug })
    : await searchEveryCrash({ count, seed, store, pairs: mode === "pairs" });
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(result);
