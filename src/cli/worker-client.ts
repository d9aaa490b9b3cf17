import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { EdgecrewClient } from "../client/edgecrew-client.ts";

/** A Worker and the way to reach it. */
type ReachedWorker = {
  readonly url: string;
  readonly key: string | undefined;
  readonly clock: Clock;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

/** Time without any answer after which a request of a command fails for good. */
const MAX_AWAY_MS = 45_000;

/**
 * Makes the client of commands. Pages reconnect for ever; a command in a script ends. Requests have no time limit: restoring and reindexing take longer than a page would
 * wait, and the person ends a command with Ctrl-C.
 */
export function workerClient({ url, key, clock, fetch }: ReachedWorker): EdgecrewClient {
  let awaySinceMs: number | undefined;
  const answered = async (address: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await fetch(address, init);
      awaySinceMs = undefined;
      return response;
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      awaySinceMs ??= clock.now();
      if (clock.now() - awaySinceMs < MAX_AWAY_MS) throw cause;
      throw new EngineError("unavailable", `${url} has not answered for 45 s`, { cause });
    }
  };
  return new EdgecrewClient({
    url,
    clock,
    timeoutMs: Infinity,
    fetch: answered,
    ...(key === undefined ? {} : { auth: key }),
  });
}
