// One thread of the search. The engine is loaded only after a bug, if any, has been planted.
import { parentPort, workerData } from "node:worker_threads";
import { plant } from "./plant.ts";
import type { SearchOptions } from "./search.ts";

export type WorkerTask = {
  readonly every: boolean;
  readonly bug: string | undefined;
  readonly options: SearchOptions;
};

const { every, bug, options } = workerData as WorkerTask;
if (bug !== undefined) plant(bug);
const { search, searchEveryCrash } = await import("./search.ts");
const { programs: count, seed, store } = options;
const result = every ? await searchEveryCrash({ count, seed, store }) : await search(options);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(result);
