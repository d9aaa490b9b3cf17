import { sleep } from "../base/clock.ts";
import type { StartedRun } from "../parts/started-run.ts";
import { RemoteRun } from "./remote-run.ts";
import { backoffMs, mayRetry, type RequestOptions, type Transport } from "./transport.ts";

const ATTEMPTS = 3;

/** Starts a run. It has an id from the beginning, so a lost answer is asked for again without starting a second one. */
export async function startKeyed(
  transport: Transport,
  path: string,
  { id = crypto.randomUUID(), ...request }: RequestOptions & { readonly id?: string | undefined },
): Promise<RemoteRun> {
  const headers = { ...request.headers, "idempotency-key": id };
  for (let attempt = 1; ; attempt++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      const run = await transport.json<StartedRun>(path, { ...request, method: "POST", headers });
      return new RemoteRun(transport, run.id);
    } catch (error) {
      if (!mayRetry(error) || attempt === ATTEMPTS) throw error;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(transport.clock, error.retryAfterMs ?? backoffMs(attempt));
    }
  }
}
