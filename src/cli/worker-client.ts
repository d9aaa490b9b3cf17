import type { Clock } from "../base/clock.ts";
import { EdgecrewClient } from "../client/edgecrew-client.ts";

/** A Worker and the way to reach it. */
type ReachedWorker = {
  readonly url: string;
  readonly key: string | undefined;
  readonly clock: Clock;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

/**
 * Makes the client of commands. Requests have no time limit: restoring and reindexing take longer than a page would
 * wait, and the person ends a command with Ctrl-C.
 */
export function workerClient({ url, key, clock, fetch }: ReachedWorker): EdgecrewClient {
  return new EdgecrewClient({
    url,
    clock,
    timeoutMs: Infinity,
    fetch: (address, init) => fetch(address, init),
    ...(key === undefined ? {} : { auth: key }),
  });
}
